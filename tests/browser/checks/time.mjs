// Time: clocks, expiry of an open page, and the return to the shop.
import { check, expect, same, until } from '../harness.mjs';
import { shoot } from '../look.mjs';
import { at, ended, shows } from '../trial.mjs';
import { choose } from './live.mjs';

for (const environment of ['sandbox', 'live']) {
  check(`expiry: an open ${environment} page changes by itself`, async t => {
    const session = await t.hasty.session(environment);
    const page = await t.page();
    await page.goto(session.url);
    const first = await at(page, 'time-left').innerText();
    expect(/^00:0[5-8]$/.test(first), 'the time left', first);
    await until('the clock ticks', async () => await at(page, 'time-left').innerText() !== first, 3000);
    await shows(page, 'expired', 12_000);
    same(await page.locator('main form').count(), 0, 'forms on the page');
    await ended(session, 'expired');
  });
}

check('expiry: without JavaScript after a reload', async t => {
  const session = await t.hasty.session('live');
  const page = await t.page({ js: false });
  await page.goto(session.url);
  await until('the API says expired', async () => await t.hasty.status(session) === 'expired', 15_000);
  same(await at(page, 'status').getAttribute('data-status'), 'pending', 'the page before the reload');
  await page.reload();
  await shows(page, 'expired');
  await ended(session, 'expired');
});

check('expiry: a form that comes too late shows that the time is up, without JavaScript', async t => {
  const session = await t.hasty.session('sandbox');
  const page = await t.page({ js: false });
  await page.goto(session.url);
  await until('the API says expired', async () => await t.hasty.status(session) === 'expired', 15_000);
  await at(page, 'submit-outcome').click();
  await shows(page, 'expired');
  await ended(session, 'expired');
});

check('expiry: a QR code and an address that nobody used go away by themselves', async t => {
  const one = await t.page(), two = await t.page();
  // Each is created when it is needed: its eight seconds run from then.
  const sbp = await t.hasty.session('live');
  await one.goto(sbp.url);
  await choose(one, 'sbp');
  await one.locator('.qr.wide').waitFor();
  const crypto = await t.hasty.session('live');
  await two.goto(crypto.url);
  await choose(two, 'crypto');
  await at(two, 'address').waitFor();
  await shows(one, 'expired', 15_000);
  await ended(sbp, 'expired');
  await shows(two, 'expired', 20_000);
  await ended(crypto, 'expired');
});

check('expiry: the last minute is red, and the clock is spoken at one minute', async t => {
  const session = await t.till.session('live');
  const page = await t.page();
  await page.clock.install();
  await page.goto(session.url);
  expect(!await page.locator('.late').count(), 'not late at first');
  await page.clock.runFor('13:30');
  expect(!await page.locator('.late').count(), 'not late with more than a minute left');
  await page.clock.runFor('00:40');
  expect(await page.locator('.late').count(), 'late in the last minute', await at(page, 'time-left').innerText());
  same(await page.locator('#say').innerText(), '1 minute left', 'what is said to a screen reader');
});

check('connection lost: said after ten seconds, unsaid when it is back', async t => {
  t.allow(/ERR_FAILED/);
  const session = await t.till.session('live');
  const page = await t.page();
  await page.goto(session.url);
  await choose(page, 'sbp');
  const line = page.getByText('Connection lost. Your payment isn’t affected.');
  let down = true;
  await page.route(/\/session\/[^/]+(\/events)?$/, route =>
    (down && ['fetch', 'eventsource'].includes(route.request().resourceType()) ? route.abort() : route.continue()));
  await page.reload();
  await page.locator('.qr.wide').waitFor();
  await page.waitForTimeout(4000);
  expect(!await line.isVisible(), 'not at once');
  await line.waitFor({ timeout: 15_000 });
  down = false;
  await line.waitFor({ state: 'hidden', timeout: 20_000 });
  const bank = await t.page();
  await bank.goto(await at(page, 'open-app').getAttribute('href'));
  await at(bank, 'decision-pay').click();
  await shows(page, 'paid', 8000);
});

check('no stream: the page is asked for instead, and a payment shows by itself', async t => {
  t.allow(/ERR_FAILED/);
  const session = await t.till.session('live');
  const page = await t.page();
  await page.route(/\/events$/, route => route.abort());
  await page.goto(session.url);
  await choose(page, 'sbp');
  await page.locator('.qr.wide').waitFor();
  let asked = 0;
  page.on('request', request => { asked += request.resourceType() === 'fetch'; });
  const top = () => page.locator('.qr.wide').evaluate(code => [code.getBoundingClientRect().top, scrollY]);
  const before = await top();
  await until('it was asked for twice', () => asked >= 2);
  same(await top(), before, 'what one reads stays while nothing is new');
  const bank = await t.page();
  await bank.goto(await at(page, 'open-app').getAttribute('href'));
  await at(bank, 'decision-pay').click();
  await shows(page, 'paid', 12_000);
  expect(asked < 10, 'asked no more often than every five seconds', asked);
  await ended(session, 'paid');
});

check('return: after five seconds by itself, counted, with the address filled in', async t => {
  const session = await t.till.session('live');
  const page = await t.page();
  await page.goto(session.url);
  await choose(page, 'card');
  await at(page, 'decision-approve').click();
  await shows(page, 'paid');
  const started = Date.now();
  same(await at(page, 'stay-here').isVisible(), true, 'the customer may stay');
  const seconds = async () => Number(await page.locator('[data-seconds]').innerText());
  expect(await seconds() > 2, 'the seconds are counted', await seconds());
  await until('they count down', async () => await seconds() <= 2, 5000);
  await page.waitForURL(`${t.shop.url}/thanks?session=${session.id}&order=${session.order}`);
  const took = Date.now() - started;
  expect(took > 3500 && took < 8000, 'about five seconds', took);
  same(t.shop.of(session).length, 1, 'callbacks that came before the customer');
  await page.goBack();
  await shows(page, 'paid');
  expect(!await page.locator('[data-returning]').count(), 'back from the shop the customer stays');
});

check('return: not for customers who stay', async t => {
  const session = await t.till.session('sandbox');
  const page = await t.page();
  await page.goto(session.url);
  await at(page, 'submit-outcome').click();
  await shows(page, 'paid');
  await at(page, 'stay-here').click();
  await page.waitForTimeout(6000);
  await shows(page, 'paid');
  expect(!await at(page, 'stay-here').isVisible(), 'nothing counts any more');
});

check('return: also after a page changed by itself, but not after a failure', async t => {
  for (const outcome of ['failed', 'paid']) {
    const session = await t.till.session('sandbox');
    const page = await t.page();
    await page.goto(session.url);
    await t.till.call('POST', `/api/sandbox/vendor/checkout-session/${session.id}/simulate`,
      { outcome }, t.till.vendor.tokens.sandbox);
    await shows(page, outcome);
    if (outcome === 'failed') {
      await page.waitForTimeout(6000);
      await shows(page, 'failed');
    } else {
      await page.waitForURL(`${t.shop.url}/thanks?session=${session.id}&order=${session.order}`);
    }
  }
});

check('return: by the button without JavaScript, never by itself', async t => {
  const session = await t.till.session('sandbox', { order_id: 'A 1/2&ü' });
  const page = await t.page({ js: false });
  await page.goto(session.url);
  await at(page, 'submit-outcome').click();
  await shows(page, 'paid');
  await page.waitForTimeout(3500);
  await shows(page, 'paid');
  await at(page, 'return-link').click();
  const url = new URL(page.url());
  same([url.origin, url.searchParams.get('session'), url.searchParams.get('order')],
    [t.shop.url, session.id, 'A 1/2&ü'], 'the shop\'s address');
});

for (const js of [true, false]) {
  check(`return: an open page asks before it leaves, and names the shop${js ? '' : ', without JavaScript'}`, async t => {
    const session = await t.till.session('live');
    const page = await t.page({ js });
    await page.goto(session.url);
    await at(page, 'back-link').click();
    same(await page.locator('h1').innerText(), 'Leave without paying?', 'the question');
    expect((await page.locator('main').innerText()).includes(new URL(t.shop.url).hostname), 'the host of the shop');
    await shoot(page, `leave.desktop${js ? '' : '-plain'}`);
    await at(page, 'stay').click();
    same(new URL(page.url()).href, session.url, 'back on the payment page');
    await at(page, 'back-link').click();
    await at(page, 'leave').click();
    await page.waitForURL(`${t.shop.url}/thanks?session=${session.id}&order=${session.order}`);
    same(await t.till.status(session), 'pending', 'leaving ends nothing');
  });
}

check('return: nowhere to go, the page stays', async t => {
  const session = await t.till.session('sandbox', { return_url: undefined });
  const page = await t.page();
  await page.goto(session.url);
  await at(page, 'submit-outcome').click();
  await shows(page, 'paid');
  same(await at(page, 'return-link').count(), 0, 'links to a shop that gave no address');
  await page.waitForTimeout(3500);
  await shows(page, 'paid');
});

check('return: the address of the vendor\'s settings, while the session has none', async t => {
  const vendor = await t.till.newVendor('Settled');
  await t.till.till('vendor', 'set', vendor.vendor_id, '--return-url', `${t.shop.url}/settled?s={SESSION_ID}`);
  const session = await t.till.session('sandbox', { return_url: undefined }, vendor);
  const page = await t.page();
  await page.goto(session.url);
  await at(page, 'submit-outcome').click();
  await page.waitForURL(`${t.shop.url}/settled?s=${session.id}`);
});
