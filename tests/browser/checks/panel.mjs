// The vendor panel and the operator console: log-in, credential rotation, the sandbox switch, creating
// vendors.
import { createHmac } from 'node:crypto';
import http from 'node:http';
import { check, expect, same, until } from '../harness.mjs';
import { at, ended, kind, shows } from '../trial.mjs';
import { giveEmailAndPassword, loggedIn, noCode, open, person, setFactorUp, source, totp } from '../panel.mjs';
import { choose } from './live.mjs';

const without = js => (js ? '' : ', without JavaScript');
const refusals = /Failed to load resource: .*status of (401|403|404|410|422)/;

/// Callbacks that were verified during rotations: before, during and after.
export const verified = [];

const logOut = async page => {
  await at(page, 'side-logout').click();
  await at(page, 'log-in').waitFor();
};

/// Puts a value into a field or chooses it from a list.
const put = async (field, value) =>
  (await field.evaluate(it => it.tagName)) === 'SELECT' ? field.selectOption(value) : field.fill(value);

for (const js of [true, false]) {
  check(`panel: an operator sets up the second factor, and logs in with it${without(js)}`, async t => {
    t.allow(refusals);
    const service = t.desk, olga = await person(service, 'operator');
    const page = await t.page({ js });
    await open(page, service, '/operator/vendors');
    same(new URL(page.url()).pathname, '/panel/login', 'where a stranger is sent');
    await giveEmailAndPassword(page, { ...olga, password: `${olga.password}x` });
    await at(page, 'problem').waitFor();
    same(await at(page, 'email').inputValue(), olga.email, 'the address after a wrong password');
    await giveEmailAndPassword(page, olga);
    await at(page, 'totp-forced').waitFor();
    for (const path of ['/operator/vendors', '/operator/audit', '/panel/account']) {
      await open(page, service, path);
      same(await kind(page), 'totp-setup', `${path} without a second factor`);
    }
    const secret = await at(page, 'totp-secret').innerText();
    await at(page, 'code').fill(noCode(secret));
    await at(page, 'totp-confirm').click();
    await at(page, 'problem').waitFor();
    same(await at(page, 'totp-secret').innerText(), secret, 'the secret after a wrong code');
    const { codes, used } = await setFactorUp(page);
    same(new Set(codes).size, 10, 'recovery codes that differ');
    await at(page, 'recovery-done').click();
    same(await kind(page), 'home', 'where an operator begins');
    await logOut(page);
    await open(page, service, '/operator/users');
    await giveEmailAndPassword(page, olga);
    for (const wrong of [noCode(secret), used, 'aaaa-bbbb-cccc-dddd']) {
      await at(page, 'code').fill(wrong);
      await at(page, 'confirm-code').click();
      await at(page, 'problem').waitFor();
      same(await kind(page), 'code', `after the wrong code ${wrong}`);
    }
    await open(page, service, '/operator/users');
    same(new URL(page.url()).pathname, '/panel/login', 'half a log-in is none');
    await giveEmailAndPassword(page, olga);
    await at(page, 'code').fill(totp(secret, 1));
    await at(page, 'confirm-code').click();
    same(await kind(page), 'users', 'what was asked for before the log-in');
    await logOut(page);
    for (const [time, works] of [['first', true], ['second', false]]) {
      await giveEmailAndPassword(page, olga);
      await at(page, 'code').fill(codes[0]);
      await at(page, 'confirm-code').click();
      await (works ? at(page, 'side-logout') : at(page, 'problem')).waitFor();
      same(await kind(page), works ? 'home' : 'code', `a recovery code, the ${time} time`);
      if (works) await logOut(page);
    }
  });

  check(`panel: what is wrong in the settings is told beside the field, and nothing typed is lost${without(js)}`, async t => {
    t.allow(refusals);
    const vendor = await t.desk.newVendor('Halden Press');
    const { page } = await loggedIn(t, 'vendor_admin', { vendor, js });
    const wrong = {
      callback_url: 'ftp://shop.example/callbacks', return_url: 'not an address',
      contact_email: 'help@nowhere@at all', display_name: ' ', time_zone: 'Mars/Olympus',
    };
    // The browser's own validation would stop it before the service could.
    await page.evaluate(() => { document.querySelector('#settings').noValidate = true; });
    await page.evaluate(zone => { document.querySelector('#time_zone').add(new Option(zone, zone)); }, wrong.time_zone);
    for (const [name, value] of Object.entries(wrong)) await put(at(page, name), value);
    await at(page, 'language').selectOption('ru');
    await at(page, 'confirm_shared').check();
    await at(page, 'save').click();
    await at(page, 'problem').waitFor();
    for (const [name, value] of Object.entries(wrong)) {
      const input = at(page, name);
      same(await input.getAttribute('aria-invalid'), 'true', `${name} is marked`);
      same(await input.inputValue(), value.trim(), `what was typed into ${name}`);
      expect((await page.locator(`#${name}-error`).innerText()).length > 5, `what is wrong with ${name}`);
      expect((await input.getAttribute('aria-describedby')).split(' ').includes(`${name}-error`), `${name} is described by it`);
    }
    same(await at(page, 'language').inputValue(), 'ru', 'the language');
    expect(await at(page, 'confirm_shared').isChecked(), 'the tick');
    same(await page.locator('#problem li').count(), 5, 'problems at the top');

    const right = {
      callback_url: `${t.shop.url}/panel-callbacks`, return_url: `${t.shop.url}/thanks`, contact_email: 'care@halden.example',
      display_name: 'Halden & Sons', time_zone: 'Europe/Oslo',
    };
    for (const [name, value] of Object.entries(right)) await put(at(page, name), value);
    await at(page, 'save').click();
    same(await at(page, 'notice').getAttribute('data-notice'), 'saved', 'the notice');
    for (const [name, value] of Object.entries(right)) same(await at(page, name).inputValue(), value, `the saved ${name}`);

    const before = t.shop.callbacks.length;
    await at(page, 'test-callback').click();
    const result = await at(page, 'test-result').innerText();
    expect(result.includes('204'), 'the answer to the test callback', result);
    expect(t.shop.callbacks.slice(before).some(({ event, test }) => event === 'test.ping' && test), 'the shop got it');
    await at(page, 'callback_url').fill(`${t.desk.url.replace('http', 'https')}/nobody`);
    await at(page, 'confirm_shared').check();
    await at(page, 'save').click();
    await at(page, 'notice').waitFor();
    await at(page, 'test-callback').click();
    expect(await at(page, 'test-result').evaluate(it => it.classList.contains('failed')), 'a failed test says so');

    const customer = await t.page();
    const session = await t.desk.session('live', {}, vendor);
    await customer.goto(session.url);
    await customer.getByText('Halden & Sons').first().waitFor();
  });
}

check('panel: logging in by keyboard alone', async t => {
  const vendor = await t.desk.newVendor('Halden Press');
  const ada = await person(t.desk, 'vendor_viewer', vendor);
  const page = await t.page();
  await open(page, t.desk, '/panel/login');
  const focused = () => page.evaluate(() => document.activeElement.dataset?.testid ?? document.activeElement.tagName);
  await page.locator('body').press('Shift');
  for (let step = 0; step < 10 && await focused() !== 'email'; step += 1) await page.keyboard.press('Tab');
  same(await focused(), 'email', 'what Tab reaches');
  await page.keyboard.type(ada.email);
  await page.keyboard.press('Tab');
  same(await focused(), 'password', 'what comes next');
  await page.keyboard.type(ada.password);
  await page.keyboard.press('Enter');
  await at(page, 'start').waitFor();
  same(await kind(page), 'overview', 'where a viewer begins');
  await page.keyboard.press('Tab');
  same(await page.evaluate(() => document.activeElement.getAttribute('href')), '#main', 'the first stop on the next page');
  const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  expect(ring !== 'none', 'a visible focus', ring);
});

/// A vendor's server that knows one secret and reads one header, and answers 401 to what it cannot verify.
class Verifier {
  received = [];

  static async open(secret) {
    const verifier = new Verifier();
    verifier.secret = secret;
    verifier.server = http.createServer((request, response) => {
      const parts = [];
      request.on('data', part => parts.push(part)).on('end', () => {
        const body = Buffer.concat(parts);
        const right = createHmac('sha256', verifier.secret).update(body).digest('hex') === request.headers['x-signature'];
        const { sessionId } = JSON.parse(body);
        const both = 'x-signature-alternate' in request.headers;
        verifier.received.push({ sessionId, right, both, at: performance.now(), attempt: request.headers['x-attempt'] });
        response.writeHead(right ? 204 : 401).end();
      });
    });
    await new Promise(done => verifier.server.listen(0, '127.0.0.1', done));
    verifier.url = `http://127.0.0.1:${verifier.server.address().port}/callbacks`;
    return verifier;
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

const SANDBOX = '/api/sandbox/vendor';

check('panel: a secret is rotated under load, and a shop with one secret and one header verifies every callback', async t => {
  const service = t.desk, vendor = await service.newVendor('Halden Press');
  const { page, who } = await loggedIn(t, 'vendor_admin', { vendor });
  const shop = await Verifier.open(vendor.sandbox.client_secret);
  const paid = [];
  let token = vendor.tokens.sandbox, going = true;
  const customer = async () => {
    while (going) {
      const session = await service.session('sandbox', { callback_url: shop.url }, { tokens: { sandbox: token } });
      await service.call('POST', `${SANDBOX}/checkout-session/${session.id}/simulate`, { outcome: 'paid' }, token);
      paid.push(session.id);
    }
  };
  const load = Promise.all([customer(), customer(), customer()]);
  load.catch(() => {});
  try {
    const more = async (what, count) => {
      const from = shop.received.length;
      await until(`${count} more callbacks ${what}`, () => shop.received.length >= from + count);
    };
    await more('before', 40);
    await at(page, 'rotate').click();
    await at(page, 'overlap-24h').check();
    await page.locator('#password').fill(who.password);
    const rotating = performance.now();
    await at(page, 'rotate-now').click();
    const pair = { client_id: await at(page, 'client-id').innerText(), client_secret: await at(page, 'client-secret').innerText() };
    await at(page, 'old-until').waitFor();
    const rotated = performance.now();
    expect(pair.client_secret !== vendor.sandbox.client_secret, 'a new secret');
    // A token with the old pair changes nothing.
    await service.call('POST', `${SANDBOX}/tokens`, vendor.sandbox);
    await more('signed twice, the old one first', 60);
    await at(page, 'done').click();
    await at(page, 'overlap').waitFor();

    // The shop deploys the new pair: it gets a token with it, and from then on knows only the new secret.
    const deploying = performance.now();
    token = (await service.call('POST', `${SANDBOX}/tokens`, pair)).access_token;
    shop.secret = pair.client_secret;
    const deployed = performance.now();
    await more('signed twice, the new one first', 60);
    going = false;
    await load;
    // Callbacks in flight while the shop changed over are refused once, and come again after 30 seconds.
    const wrong = shop.received.filter(({ right }) => !right);
    const onTheWay = wrong.filter(({ at: when, attempt }) => attempt === '1' && when >= deploying && when <= deployed + 150);
    same(wrong.length - onTheWay.length, 0, 'callbacks that the shop could not verify');
    expect(onTheWay.length <= 6, 'few callbacks are on their way at once', onTheWay.length);
    const settled = id => shop.received.some(({ sessionId, right }) => right && sessionId === id);
    await until('every payment is told with the right signature', () => paid.every(settled), 45_000);
    const count = (from, to) => shop.received.filter(({ at: when, right }) => right && when >= from && when < to).length;
    const twice = shop.received.filter(({ at: when, both }) => when > rotated && !both).length;
    expect(twice <= 3, 'in the overlap both secrets sign', twice);
    verified.push({
      before: count(0, rotating), during: count(rotating, deployed), after: count(deployed, Infinity),
      again: onTheWay.length, paid: paid.length,
    });
  } finally {
    going = false;
    await load.catch(() => {});
    shop.close();
  }
}, { seconds: 120 });

/// Switches the sandbox of a vendor as an operator in the browser.
const switchSandbox = async (page, service, vendor, on) => {
  await open(page, service, `/operator/vendors/${vendor.vendor_id}`);
  if (!on) await at(page, 'sandbox-off').click();
  await at(page, 'asked_by').fill('ada@shop.example');
  await at(page, 'why').fill(on ? 'a test' : 'going live');
  await at(page, on ? 'sandbox-on' : 'confirm').click();
  same(await at(page, 'notice').getAttribute('data-notice'), on ? 'sandbox-on' : 'sandbox-off', 'the notice');
};

const payLive = async (t, service, vendor) => {
  const session = await service.session('live', {}, vendor);
  const page = await t.page();
  await page.goto(session.url);
  await choose(page, 'card');
  await page.waitForURL(/\/bank\//);
  await at(page, 'decision-approve').click();
  await shows(page, 'paid');
  await ended(session, 'paid');
  await page.close();
};

check('panel: the sandbox goes on, off and on again; the vendor sees it, live payments do not', async t => {
  t.allow(refusals);
  const service = t.desk, vendor = await service.newVendor('Halden Press');
  const { page: operator } = await loggedIn(t, 'operator');
  const { page } = await loggedIn(t, 'vendor_admin', { vendor });
  const session = await service.session('sandbox', {}, vendor);
  let live = 0, going = true;
  const customers = (async () => {
    while (going) {
      await payLive(t, service, vendor);
      live += 1;
    }
  })();
  customers.catch(() => {});
  const customer = await t.page();
  const ask = async () => (await fetch(`${service.url}${SANDBOX}/checkout-session/${session.id}`,
    { headers: { Authorization: `Bearer ${vendor.tokens.sandbox}` } })).status;
  for (const on of [true, false, true]) {
    if (live || !on) await switchSandbox(operator, service, vendor, on);
    const [shown, hidden] = on ? [vendor.sandbox, vendor.live] : [vendor.live, vendor.sandbox];
    await open(page, service, '/panel/settings');
    same(await at(page, 'sandbox-banner').count(), on ? 1 : 0, `the banner with the sandbox ${on ? 'on' : 'off'}`);
    same(await page.locator('[data-environment]').getAttribute('data-environment'), on ? 'sandbox' : 'live', 'the environment');
    same(await at(page, 'client-id').innerText(), shown.client_id, 'the client id');
    await at(page, 'reveal').click();
    same(await at(page, 'client-secret').innerText(), shown.client_secret, 'the secret');
    const html = await source(page);
    expect(!html.includes(hidden.client_id) && !html.includes(hidden.client_secret), 'the other pair is nowhere on the page');
    if (on) same(await service.status(session), 'pending', 'an old sandbox session');
    else expect([401, 403, 404].includes(await ask()), 'an old sandbox session while it is off', await ask());
    same((await customer.goto(session.url)).status(), on ? 200 : 403, 'its checkout');
    const before = live;
    await until('a live payment went through meanwhile', () => live > before);
  }
  going = false;
  await customers;
  await operator.goto(`${service.url}/operator/audit?vendor=${vendor.vendor_id}`);
  const acts = await operator.locator('[data-act]').evaluateAll(cells => cells.map(cell => cell.dataset.act));
  for (const act of ['sandbox_on', 'sandbox_off', 'secret_revealed']) expect(acts.includes(act), `the log has ${act}`, acts);
  await operator.getByText('requested by ada@shop.example: going live').waitFor();
}, { seconds: 90 });

check('panel: a super vendor sees sandbox credentials of their vendors, and never a live one', async t => {
  t.allow(refusals);
  const service = t.desk;
  const [mine, other] = [await service.newVendor('Mine'), await service.newVendor('Somebody else')];
  const { page: operator } = await loggedIn(t, 'operator');
  const { page, who } = await loggedIn(t, 'super_vendor');
  await at(page, 'empty').waitFor();
  await open(operator, service, `/operator/vendors/${mine.vendor_id}`);
  await at(operator, 'super').selectOption({ label: who.email });
  await at(operator, 'save-parent').click();
  same(await at(operator, 'notice').getAttribute('data-notice'), 'saved', 'the notice');
  const look = async what => {
    const html = await source(page);
    for (const vendor of [mine, other]) {
      expect(!html.includes(vendor.live.client_id) && !html.includes(vendor.live.client_secret), `no live credential: ${what}`);
    }
  };
  await open(page, service, '/panel/profile');
  await look('the list');
  same(await at(page, `vendor-${other.vendor_id}`).count(), 0, 'vendors of others in the list');
  await at(page, `vendor-${mine.vendor_id}`).click();
  same(await at(page, 'client-id').innerText(), mine.sandbox.client_id, 'the client id');
  await look('the vendor');
  await at(page, 'reveal').click();
  same(await at(page, 'client-secret').innerText(), mine.sandbox.client_secret, 'the secret');
  await look('the secret');
  await at(page, 'hide').click();
  await at(page, 'reveal').waitFor();
  same((await open(page, service, `/panel/profile/${other.vendor_id}`)).status(), 404, 'a vendor that is not theirs');
  same(await kind(page), 'nowhere', 'the page of a vendor that is not theirs');
  await look('not theirs');
  await switchSandbox(operator, service, mine, false);
  await open(page, service, `/panel/profile/${mine.vendor_id}`);
  await at(page, 'no-sandbox').waitFor();
  await look('the sandbox is off');
  for (const path of ['/panel/settings', '/operator/vendors', `/operator/vendors/${mine.vendor_id}`]) {
    same((await open(page, service, path)).status(), 403, `${path} for a super vendor`);
  }
});

check('panel: an operator makes a vendor, and with what is shown a live payment is taken', async t => {
  t.allow(refusals);
  const service = t.desk, name = `Nordlys <Books> ${Date.now()}`;
  const { page } = await loggedIn(t, 'operator');
  await at(page, 'nav-vendors').click();
  await at(page, 'new-vendor').click();
  await at(page, 'name').fill('  ');
  await at(page, 'contact_email').fill('help@nordlys.example');
  await at(page, 'create-vendor').click();
  await at(page, 'problem').waitFor();
  same(await at(page, 'contact_email').inputValue(), 'help@nordlys.example', 'what was typed');
  await at(page, 'name').fill(name);
  await at(page, 'sandbox').check();
  await at(page, 'create-vendor').click();
  const vendor = { tokens: {} };
  for (const environment of ['live', 'sandbox']) {
    vendor[environment] = {
      client_id: await at(page, `${environment}-client-id`).innerText(),
      client_secret: await at(page, `${environment}-client-secret`).innerText(),
    };
    const path = environment === 'live' ? '/api/tokens' : `${SANDBOX}/tokens`;
    vendor.tokens[environment] = (await service.call('POST', path, vendor[environment])).access_token;
  }
  await payLive(t, service, vendor);
  const session = await service.session('sandbox', {}, vendor);
  await service.call('POST', `${SANDBOX}/checkout-session/${session.id}/simulate`, { outcome: 'paid' }, vendor.tokens.sandbox);
  await ended(session, 'paid');
  await at(page, 'done').click();
  same(await page.locator('h1').innerText(), name, 'the heading');
  const html = await source(page);
  expect(!html.includes(vendor.live.client_secret) && !html.includes(vendor.sandbox.client_secret), 'secrets are shown once');

  // A user is invited to it, and logs in with the link.
  await at(page, 'invite').click();
  await at(page, 'email').fill(`boss-${Date.now()}@nordlys.example`);
  await at(page, 'role-vendor_admin').check();
  await at(page, 'invite').click();
  const link = await at(page, 'link').innerText();
  const guest = await t.page();
  await guest.goto(link);
  for (const field of ['password', 'again']) await guest.locator(`#${field}`).fill('a long walk by the fjord');
  await at(guest, 'set-password').click();
  await at(guest, 'log-in').waitFor();
  same((await guest.goto(link)).status(), 410, 'the link, a second time');
});

for (const js of [true, false]) {
  check(`panel: a vendor asks for a sandbox, and the operator sees it and grants it${without(js)}`, async t => {
    t.allow(/status of 422/);
    // A service on which no other vendor asks for a sandbox.
    const service = js ? t.till : t.hasty;
    const made = JSON.parse(await service.till('vendor', 'create', '--name', 'Quiet Shop', '--json'));
    const { page: operator } = await loggedIn(t, 'operator', { service, js });
    const { page } = await loggedIn(t, 'vendor_admin', { service, vendor: made, js });
    const badge = async () => {
      await open(operator, service, '/operator/vendors');
      const count = at(operator, 'nav-requests').locator('.count');
      return await count.count() ? parseInt(await count.innerText(), 10) : 0;
    };
    const before = await badge();
    same(await at(page, 'sandbox-banner').count(), 0, 'the banner before');
    await at(page, 'sandbox-link').click();
    await at(page, 'reason').fill('  ');
    await at(page, 'ask-sandbox').click();
    await page.locator('#reason-error').waitFor();
    await at(page, 'reason').fill('We want to <try> it');
    await at(page, 'ask-sandbox').click();
    await at(page, 'asked').waitFor();
    same(await at(page, 'ask-sandbox').count(), 0, 'ways to ask twice');
    same(await badge(), before + 1, 'the badge');
    await at(operator, 'nav-requests').click();
    const request = operator.locator('article', { has: operator.locator(`a[href$="${made.vendor_id}"]`) });
    expect((await request.innerText()).includes('We want to <try> it'), 'the reason', await request.innerText());
    await request.getByTestId('grant').click();
    same(await at(operator, 'notice').getAttribute('data-notice'), 'sandbox-on', 'the notice');
    same(await badge(), before, 'the badge after it');
    await open(page, service, '/panel/settings');
    await at(page, 'sandbox-banner').waitFor();
    expect((await at(page, 'client-id').innerText()).startsWith('sandbox_'), 'sandbox credentials');
    await open(page, service, '/panel/sandbox');
    await at(page, 'on').waitFor();
  });
}

// A host name other than localhost: over http browsers send fewer headers to it.
check('panel: over http on a LAN people log in and send forms', async t => {
  const ada = await person(t.till, 'super_vendor');
  const context = await t.browser.newContext();
  try {
    const page = await context.newPage();
    const lan = t.till.url.replace('127.0.0.1', 'till.lan');
    await page.goto(`${lan}/panel/login`);
    await giveEmailAndPassword(page, { ...ada, service: { url: lan } });
    await page.waitForURL(`${lan}/panel/profile`);
    await logOut(page);
  } finally {
    await context.close();
  }
});
