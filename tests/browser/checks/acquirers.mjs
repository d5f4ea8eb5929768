// YooKassa and T-Bank, played by our fakes: SBP by a QR code on our page, on a desktop and a phone, and a card on the
// acquirer's page.
import { check, expect, same } from '../harness.mjs';
import { at, ended, phone, shows, text } from '../trial.mjs';
import { choose } from './live.mjs';
import { fits, shoot } from '../look.mjs';

/// What each says with the payment of a decline.
const DECLINED = { yookassa: 'card_declined', tbank: 'insufficient_funds' };

/// A page that may be redirected to the acquirer's host name, with a certificate of the test.
const customer = async (t, host, options = {}) => {
  const name = host.replaceAll('.', '\\.');
  t.allow(new RegExp(`^a request to somebody else: https://${name}/page/`));
  // The fake's page has no icon, so the browser's request for it fails.
  t.allow(new RegExp(`^a request to somebody else: https://${name}/favicon\\.ico`));
  t.allow(/^console: Failed to load resource: the server responded with a status of 404/);
  return t.page({ ...options, context: { ignoreHTTPSErrors: true } });
};

const sbp = name => {
  for (const [view, size] of [['desktop', undefined], ['phone', phone]]) {
    check(`${name}: SBP on a ${view}, paid in the bank's app, and the page turns paid`, async t => {
      const acquirer = t.acquirers[name], session = await t[name].session('live');
      const page = await t.page(size && { size });
      await page.goto(session.url);
      await choose(page, 'sbp');
      const code = page.locator(view === 'phone' ? '.narrow .qr' : '.qr.wide');
      if (view === 'phone') await at(page, 'other-phone').click();
      await code.waitFor();
      const app = at(page, 'open-app');
      const link = await app.getAttribute('href');
      expect(/^https:\/\/qr\.nspk\.ru\/AD10/.test(link), 'the link of the bank\'s app, as it came', link);
      same(await app.isVisible(), view === 'phone', 'the link is for phones');
      if (view === 'phone') {
        const [button, box] = [await app.boundingBox(), await code.boundingBox()];
        expect(button.y + button.height <= box.y, 'the link comes before the code', [button, box]);
      }
      await fits(page, view);
      await shoot(page, `${name}-sbp-${view}`);
      const { id } = await acquirer.payment(session);
      await acquirer.does('pay', { payment: id });
      await shows(page, 'paid');
      await shoot(page, `${name}-sbp-${view}-paid`);
      await ended(session, 'paid');
      same(t.shop.of(session)[0].paymentMethod, 'sbp', 'the method in the callback');
      same((await acquirer.payment(session)).taken, 499_000, 'what was taken');
    });
  }
};

const cards = name => {
  for (const js of [true, false]) {
    const without = js ? '' : ', without JavaScript';
    for (const [press, status, reason] of [['pay', 'paid'], ['decline', 'failed', DECLINED[name]]]) {
      check(`${name}: a card on its page and back, ${status}${without}`, async t => {
        const { host } = t.acquirers[name], session = await t[name].session('live');
        const page = await customer(t, host, { js });
        await page.goto(session.url);
        await choose(page, 'card');
        await page.waitForURL(`https://${host}/page/**`);
        same(await text(page.locator('h1')), '4990.00 RUB', 'the amount on its page');
        if (js && press === 'pay') await shoot(page, `${name}-card-there`);
        await page.locator(`button[value=${press}]`).click();
        await page.waitForURL(url => url.href.startsWith(session.url));
        await shows(page, status, 5000).catch(() => at(page, 'check-again').click());
        await shows(page, status);
        if (js) await shoot(page, `${name}-card-${status}`);
        await ended(session, status, reason);
        if (press === 'pay') same((await t.acquirers[name].payment(session)).taken, 499_000, 'what was taken');
      });
    }
  }
};

for (const name of ['yookassa', 'tbank']) {
  sbp(name);
  cards(name);
}
