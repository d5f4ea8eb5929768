// The looks and cost of every page of the panel, by role: axe, horizontal scrolling, requests, bytes, a
// screenshot.
import { check, expect, same } from '../harness.mjs';
import { at, phone } from '../trial.mjs';
import { giveEmailAndPassword, loggedIn, open, person, setFactorUp } from '../panel.mjs';
import { languages, locales, look, shoot } from '../look.mjs';

const MOST_REQUESTS = 4;
const MOST_BYTES = 25_000;

/// The most expensive first view of a panel page.
export const dearest = { name: '', requests: 0, bytes: 0 };

/// Loads a page with an empty cache and counts requests and bytes.
const weigh = async (page, name) => {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  const requests = new Map();
  let bytes = 0;
  cdp.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (!request.url.startsWith('data:')) requests.set(requestId, request.url);
  });
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (requests.has(requestId)) bytes += encodedDataLength;
  });
  await page.reload({ waitUntil: 'load' });
  await page.waitForTimeout(100);
  await cdp.detach();
  expect(requests.size <= MOST_REQUESTS, `at most ${MOST_REQUESTS} requests: ${name}`, [...requests.values()]);
  expect(bytes > 1000 && bytes <= MOST_BYTES, `at most ${MOST_BYTES} bytes: ${name}`, bytes);
  same(await page.locator('script:not([src]), style, [style]').count(), 0, `inline scripts and styles: ${name}`);
  if (bytes > dearest.bytes) Object.assign(dearest, { name, requests: requests.size, bytes });
};

/// Visits each stop: a name and a path, or a step to take on the page before.
export const tour = async (page, service, language, stops) => {
  for (const [name, to] of stops) {
    if (typeof to === 'string') {
      await open(page, service, to);
      if (language === 'en') await weigh(page, name);
    } else {
      await to(page);
    }
    await look(page, `panel-${name}`, language);
  }
};

const click = (...ids) => async page => { for (const id of ids) await at(page, id).first().click(); };

for (const language of languages) {
  check(`panel: looks of the pages outside, ${language}`, async t => {
    t.allow(/status of (401|404|410|422)/);
    const page = await t.page({ language: locales[language] });
    // This service sends mail.
    await tour(page, t.till, language, [
      ['forgot', '/panel/forgot'],
      ['forgot-sent', async page => { await at(page, 'email').fill('ada@shop.example'); await at(page, 'send-link').click(); }],
    ]);
    const olga = await person(t.desk, 'operator');
    const { link } = JSON.parse(await t.desk.till('user', 'reset', olga.email, '--json'));
    await tour(page, t.desk, language, [
      ['login', '/panel/login'],
      ['login-wrong', page => giveEmailAndPassword(page, { ...olga, password: 'wrong' })],
      ['forgot-no-mail', '/panel/forgot'],
      ['set-password', new URL(link).pathname],
      ['set-password-wrong', async page => {
        await at(page, 'password').fill('short');
        await at(page, 'again').fill('other');
        await at(page, 'set-password').click();
        await at(page, 'problem').waitFor();
      }],
      ['link-ended', '/panel/link/none'],
      ['totp-setup', async page => {
        await open(page, t.desk, '/panel/login');
        await giveEmailAndPassword(page, olga);
        await at(page, 'totp-forced').waitFor();
      }],
      ['recovery-codes', setFactorUp],
      ['code', async page => {
        await at(page, 'recovery-done').click();
        await at(page, 'side-logout').click();
        await giveEmailAndPassword(page, olga);
        await at(page, 'code').waitFor();
      }],
    ]);
  }, { seconds: 90 });

  check(`panel: looks of an operator's pages, ${language}`, async t => {
    t.allow(/status of (403|404|405|422)/);
    const service = t.desk;
    const vendor = await service.newVendor('Halden Press & Very Long Names of Scandinavian Booksellers');
    const asking = JSON.parse(await service.till('vendor', 'create', '--name', 'Quiet Shop', '--json'));
    const shop = await loggedIn(t, 'vendor_admin', { vendor: asking });
    await open(shop.page, service, '/panel/sandbox');
    await at(shop.page, 'reason').fill('We rebuild our shop and want to try payments before the autumn.');
    await at(shop.page, 'ask-sandbox').click();
    await at(shop.page, 'asked').waitFor();
    const ada = await person(service, 'vendor_admin', vendor);
    await person(service, 'super_vendor');
    const { page, who } = await loggedIn(t, 'operator', { language: locales[language], js: true });
    await tour(page, service, language, [
      ['operator-home', '/operator'],
      ['operator-sessions', '/operator/sessions?env=sandbox'],
      ['operator-sessions-wrong', '/operator/sessions?vendor=nobody+is+called+so'],
      ['operator-transactions', '/operator/transactions'],
      ['operator-vendors', '/operator/vendors'],
      ['operator-vendors-none', '/operator/vendors?q=nobody+is+called+so'],
      ['operator-vendor', `/operator/vendors/${vendor.vendor_id}`],
      ['operator-terms', `/operator/vendors/${vendor.vendor_id}/terms`],
      ['operator-fiscal', `/operator/vendors/${vendor.vendor_id}/fiscal`],
      ['operator-vendor-wallet', `/operator/vendors/${vendor.vendor_id}/wallet`],
      ['operator-refunds', '/operator/refunds'],
      ['reconciliations', '/operator/reconciliations'],
      ['operator-sandbox-off', `/operator/vendors/${vendor.vendor_id}/sandbox`],
      ['operator-disable', `/operator/vendors/${vendor.vendor_id}/disable`],
      ['operator-vendor-asked', `/operator/vendors/${asking.vendor_id}`],
      ['operator-sandbox-wrong', async page => {
        await page.evaluate(() => { for (const form of document.forms) form.noValidate = true; });
        await at(page, 'asked_by').fill('');
        await at(page, 'sandbox-on').click();
        await at(page, 'problem').waitFor();
      }],
      ['operator-no-methods', async page => {
        await open(page, service, `/operator/vendors/${vendor.vendor_id}`);
        for (const method of ['all', 'card', 'sbp', 'crypto']) await at(page, `methods-${method}`).uncheck();
        await at(page, 'save-methods').click();
        await at(page, 'confirm').waitFor();
      }],
      ['operator-new-vendor', '/operator/vendors/new'],
      ['operator-new-vendor-wrong', async page => {
        await at(page, 'name').fill('  ');
        await at(page, 'create-vendor').click();
        await at(page, 'problem').waitFor();
      }],
      ['operator-vendor-created', async page => {
        await at(page, 'name').fill('Nordlys');
        await at(page, 'create-vendor').click();
        await at(page, 'done').waitFor();
      }],
      ['operator-users', '/operator/users'],
      ['operator-user', `/operator/users/${ada.user_id}`],
      ['operator-user-self', `/operator/users/${who.user_id}`],
      ['operator-user-disable', `/operator/users/${ada.user_id}/disable`],
      ['operator-user-reset', `/operator/users/${ada.user_id}/reset`],
      ['operator-new-user', `/operator/users/new?vendor=${vendor.vendor_id}`],
      ['operator-invited', async page => {
        await at(page, 'email').fill(`looks-${Date.now()}@shop.example`);
        await at(page, 'role-vendor_admin').check();
        await at(page, 'invite').click();
        await at(page, 'link').waitFor();
      }],
      ['operator-requests', '/operator/requests'],
      ['operator-dismiss', async page => {
        await page.locator('article', { has: page.locator(`a[href$="${asking.vendor_id}"]`) }).getByTestId('dismiss').click();
        await at(page, 'note').waitFor();
      }],
      ['operator-audit', '/operator/audit'],
      ['operator-audit-none', '/operator/audit?who=nobody'],
      ['account-operator', '/panel/account'],
      ['account-new-codes', async page => {
        for (const id of ['totp-phone-open', 'totp-codes-open']) await at(page, id).click();
        await page.locator('#codes-password').fill('wrong');
        await at(page, 'totp-codes').click();
        await at(page, 'problem').waitFor();
      }],
      ['nowhere-path', '/operator/nothing/here'],
      ['wrong-way', '/panel/logout'],
      ['nowhere', '/operator/vendors/nothing'],
      ['forbidden', '/panel/settings'],
    ]);
    await page.setViewportSize(phone);
    await click('menu')(page);
    await shoot(page, `panel-operator-menu.phone.${language}`);
  }, { seconds: 300 });

  check(`panel: looks of a vendor's pages, ${language}`, async t => {
    t.allow(/status of (403|404|405|422)/);
    const service = t.desk, vendor = await service.newVendor('Halden Press');
    const quiet = JSON.parse(await service.till('vendor', 'create', '--name', 'Quiet Shop', '--json'));
    const { page, who } = await loggedIn(t, 'vendor_admin', { vendor, language: locales[language] });
    await tour(page, service, language, [
      ['settings', '/panel/settings'],
      ['settings-secret', click('reveal')],
      ['settings-wrong', async page => {
        await open(page, service, '/panel/settings');
        await page.evaluate(() => { document.querySelector('#settings').noValidate = true; });
        for (const field of ['callback_url', 'return_url', 'contact_email']) await at(page, field).fill('wrong');
        await at(page, 'save').click();
        await at(page, 'problem').waitFor();
      }],
      ['signature', '/panel/settings/signature'],
      ['signature-wrong', async page => {
        await at(page, 'body').fill('{"event":"session.paid","orderId":"A-1001"}');
        await at(page, 'signature').fill('9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08');
        await at(page, 'check').click();
        await at(page, 'diagnosis').waitFor();
      }],
      ['sandbox-delivery', '/panel/settings/delivery'],
      ['fiscal-settings', '/panel/settings/fiscal'],
      ['endpoint-check', '/panel/settings/endpoint-check'],
      ['check-report', async page => {
        await at(page, 'callback_url').fill('http://127.0.0.1:9/callback');
        await at(page, 'start').click();
        await at(page, 'summary').waitFor({ timeout: 30_000 });
      }],
      ['rotate', '/panel/settings/rotate'],
      ['rotated', async page => {
        await page.locator('#password').fill(who.password);
        await at(page, 'rotate-now').click();
        await at(page, 'old-until').waitFor();
      }],
      ['settings-overlap', '/panel/settings'],
      ['sandbox-on', '/panel/sandbox'],
      ['no-wallet', '/panel/wallet'],
      ['account', '/panel/account'],
      ['totp-setup-own', async page => { await at(page, 'totp-start').click(); await at(page, 'totp-secret').waitFor(); }],
    ]);
    const live = await loggedIn(t, 'vendor_admin', { vendor: quiet, language: locales[language] });
    await tour(live.page, service, language, [['settings-live', '/panel/settings'], ['sandbox-off', '/panel/sandbox']]);
    const viewer = await loggedIn(t, 'vendor_viewer', { vendor, language: locales[language] });
    await tour(viewer.page, service, language, [
      ['viewer-settings', '/panel/settings'], ['viewer-sandbox', '/panel/sandbox'], ['viewer-forbidden', '/panel/settings/rotate'],
    ]);
  }, { seconds: 300 });

  check(`panel: looks of a super vendor's pages, ${language}`, async t => {
    t.allow(/status of 404/);
    const service = t.desk, vendor = await service.newVendor('Halden Press');
    const { page: operator } = await loggedIn(t, 'operator');
    const { page, who } = await loggedIn(t, 'super_vendor', { language: locales[language] });
    await tour(page, service, language, [['profile-none', '/panel/profile']]);
    await open(operator, service, `/operator/vendors/${vendor.vendor_id}`);
    await at(operator, 'super').selectOption({ label: who.email });
    await at(operator, 'save-parent').click();
    await at(operator, 'notice').waitFor();
    await tour(page, service, language, [
      ['profile', '/panel/profile'],
      ['profile-vendor', `/panel/profile/${vendor.vendor_id}`],
      ['profile-secret', click('reveal')],
    ]);
  }, { seconds: 90 });
}
