// Cards by Stripe: its own form in our page, under the CSP that the service ships, with its host names mapped
// to the fake.
import { check, expect, same } from '../harness.mjs';
import { at, desktop, ended, phone, shows, text } from '../trial.mjs';
import { Stripe } from '../stripe.mjs';
import { shoot } from '../look.mjs';
import { choose } from './live.mjs';

const dollars = { price: '54.28', currency: 'USD' };
const good = '4242 4242 4242 4242', poor = '4000000000009995', asks = '4000002760003184';

/// Opens a new session's page with the form.
const open = async (t, options = {}) => {
  t.allow(Stripe.requests);
  const session = await t.carded.session('live', { ...dollars, ...options.fields });
  const page = await t.page({ ...options, context: { ignoreHTTPSErrors: true, ...options.context } });
  await page.goto(session.url);
  await choose(page, 'card');
  return { session, page, card: page.frameLocator('[data-testid=fake-card]') };
};

const pay = async ({ page, card }, digits) => {
  for (const [name, value] of [['number', digits], ['month', '12'], ['year', '34'], ['cvc', '123']]) await at(card, name).fill(value);
  await at(page, 'element-pay').click();
};

const bank = page => page.frameLocator('[data-testid=fake-3ds]');

for (const [name, digits, answer, status, reason, there] of [
  ['a card is paid', good, null, 'paid', undefined, 'succeeded'],
  ['a refused card ends the session', poor, null, 'failed', 'insufficient_funds', 'canceled'],
  ['the bank asks, and the customer confirms', asks, 'confirm', 'paid', undefined, 'succeeded'],
  ['the bank asks, and the customer refuses', asks, 'refuse', 'failed', 'three_ds_failed', 'canceled'],
]) {
  for (const size of [desktop, phone]) {
    check(`stripe: ${name}${size === phone ? ', on a phone' : ''}`, async t => {
      // A declined card is an answer 402, which the browser logs.
      t.allow(/status of 402/);
      const scene = await open(t, { size });
      await pay(scene, digits);
      if (answer) await at(bank(scene.page), answer).click();
      await shows(scene.page, status);
      await ended(scene.session, status, reason);
      same((await t.stripe.intentOf(scene.session)).status, there, 'the payment at Stripe');
    });
  }
}

check('stripe: an empty form says what is missing, and can be sent again', async t => {
  const scene = await open(t);
  await at(scene.card, 'number').waitFor();
  await at(scene.page, 'element-pay').click();
  await scene.card.getByText('incomplete').waitFor();
  expect(await at(scene.page, 'element-pay').isEnabled(), 'the button can be used again');
  same(await at(scene.page, 'element-pay').getAttribute('aria-disabled'), null, 'and looks like it');
  await pay(scene, good);
  await shows(scene.page, 'paid');
  await ended(scene.session, 'paid');
});

check('stripe: the bank asks again when the page is loaded anew', async t => {
  const scene = await open(t);
  await pay(scene, asks);
  await at(bank(scene.page), 'confirm').waitFor();
  // The service has received the event about the 3-D Secure challenge, and the challenge is still shown.
  await t.stripe.control('/deliver', { types: ['payment_intent.requires_action'] });
  await at(bank(scene.page), 'confirm').waitFor();
  await scene.page.reload();
  await at(bank(scene.page), 'confirm').click();
  await shows(scene.page, 'paid');
  await ended(scene.session, 'paid');
});

check('stripe: a script that cannot be loaded is told, and another way can be chosen', async t => {
  t.allow(/Failed to load resource/);
  t.allow(Stripe.requests);
  const session = await t.carded.session('live', dollars);
  const page = await t.page({ context: { ignoreHTTPSErrors: true } });
  await page.route('https://js.stripe.com/**', route => route.abort());
  await page.goto(session.url);
  await choose(page, 'card');
  expect(/couldn.t load/.test(await text(at(page, 'element-err'))), 'it is said');
  await at(page, 'choose-another').click();
  await at(page, 'pay-card').waitFor();
});

check('stripe: without JavaScript the customer is told, and can choose another way', async t => {
  const session = await t.carded.session('live', dollars);
  const page = await t.page({ js: false, size: phone });
  await page.goto(session.url);
  await choose(page, 'card');
  expect(/needs JavaScript/.test(await text(page.locator('main'))), 'the page says what is missing');
  await at(page, 'choose-another').click();
  await at(page, 'pay-card').waitFor();
});

check('stripe: the policy lets through what the form needs, on its page alone', async t => {
  const { page, session, card } = await open(t);
  await at(card, 'number').waitFor();
  const policy = async path => (await fetch(path)).headers.get('content-security-policy');
  const opened = await policy(session.url);
  expect(/script-src 'self' https:\/\/js\.stripe\.com/.test(opened), 'the form\'s page', opened);
  for (const path of [`${session.url}?methods`, `${t.carded.url}/docs`]) {
    expect(!/stripe/.test(await policy(path)), path, await policy(path));
  }
  // The CSP of this page also blocks what Stripe does not need, and the browser reports it.
  t.allow(/CSP: (script-src-elem|connect-src|frame-src) blocked|Content Security Policy|violates/);
  const blocked = await page.evaluate(() => new Promise(done => {
    const heard = new Set();
    addEventListener('securitypolicyviolation', event => {
      heard.add(event.effectiveDirective);
      if (heard.size === 3) done([...heard].sort());
    });
    const script = document.createElement('script');
    script.src = 'https://hooks.stripe.com/x.js';
    const frame = document.createElement('iframe');
    frame.src = 'https://api.stripe.com/';
    document.body.append(script, frame);
    fetch('https://js.stripe.com/x').catch(() => {});
  }));
  same(blocked, ['connect-src', 'frame-src', 'script-src-elem'], 'what is blocked');
});

for (const [name, size, language, colorScheme] of [
  ['desktop', desktop, 'en-GB', 'light'], ['desktop-dark', desktop, 'ru-RU', 'dark'],
  ['phone', phone, 'ru-RU', 'light'], ['phone-dark', phone, 'en-GB', 'dark'],
]) {
  check(`stripe: the form fits its page, ${name}`, async t => {
    const { page, card } = await open(t, { size, language, context: { colorScheme } });
    await at(card, 'number').waitFor();
    const russian = language === 'ru-RU';
    same(await text(at(page, 'element-pay')), russian ? 'Оплатить 54,28 USD' : 'Pay 54.28 USD', 'the button');
    same(await card.locator('html').getAttribute('lang'), russian ? 'ru' : 'en', 'the form\'s language');
    await card.locator(`html[data-theme=${colorScheme === 'dark' ? 'night' : 'stripe'}]`).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width <= size.width, 'nothing is wider than the screen', width);
    await shoot(page, `stripe-${name}`);
  });
}
