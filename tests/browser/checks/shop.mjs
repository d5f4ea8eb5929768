// The shop of a demo: from the shelf through the checkout to every outcome and back, with and without
// JavaScript.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { check, expect, same, until } from '../harness.mjs';
import { at, phone, shows, text } from '../trial.mjs';
import { choose } from './live.mjs';
import { languages, locales, look } from '../look.mjs';

const without = js => (js ? '' : ', without JavaScript');
export const times = [];

/// Buys something, up to the checkout's page; returns the order's number.
const buy = async (t, page, { item = 'atlas', environment = 'sandbox', currency = 'RUB' } = {}) => {
  await page.goto(t.demo.shop);
  await at(page, `environment-${environment}`).check();
  await at(page, `currency-${currency}`).check();
  await at(page, `buy-${item}`).click();
  await page.waitForURL(environment === 'live' ? /\/session\// : /\/sandbox\/session\//);
  return /B-[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(await page.locator('body').innerText())[0];
};

/// Finds an order in the list and opens it.
const find = async (t, page, order) => {
  await page.goto(`${t.demo.shop}/orders`);
  await at(page, `order-${order}`).click();
  await page.waitForURL(`${t.demo.shop}/orders/${order}`);
};

/// Returns to the shop by the button of the result.
const back = async page => {
  await page.locator('main[data-final]').waitFor({ timeout: 40_000 });
  await at(page, 'return-link').click();
  await page.waitForURL(/\/shop\/orders\/B-/, { timeout: 40_000 });
};

/// Checks that the shop shows this status, and that its panel shows how it learned of it.
const sold = async (page, js, status) => {
  await shows(page, status);
  same(await page.locator('main').getAttribute('data-kind'), status, 'the kind of page');
  // The callback and the answer about the status come in either order, and both come.
  for (const line of ['create', 'callback', 'status']) {
    await until(`a line for ${line}`, async () => {
      if (await at(page, `line-${line}`).count()) return true;
      if (!js) await page.reload();
      return false;
    });
  }
  same(await at(page, 'note').first().innerText(), 'Signature valid; order and amount match', 'the check of the signature');
};

const outcomes = [
  ['paid', 'paid', /Thank you/],
  ['declined', 'failed', /The bank declined the card/],
  ['insufficient_funds', 'failed', /insufficient funds/],
  ['three_ds', 'paid', /Thank you/, 'three-ds-confirm'],
  ['three_ds', 'failed', /didn’t confirm the payment/, 'three-ds-refuse'],
  ['expire', 'expired', /Time to pay has run out/],
];

for (const js of [true, false]) {
  for (const [outcome, status, words, challenge] of outcomes) {
    check(`shop: sandbox, ${challenge ?? outcome} ends ${status}${without(js)}`, async t => {
      const page = await t.page({ js });
      await buy(t, page);
      same(await text(at(page, 'amount')), '4,990.00 RUB', 'the amount at the checkout');
      await at(page, `outcome-${outcome}`).check();
      await at(page, 'submit-outcome').click();
      if (challenge) await at(page, challenge).click();
      await shows(page, status);
      await back(page);
      await sold(page, js, status);
      expect(words.test(await page.locator('.result').innerText()), `${words}`, await page.locator('.result').innerText());
    });
  }

  for (const [decision, status] of [['approve', 'paid'], ['decline', 'failed']]) {
    check(`shop: live, card, ${decision} ends ${status}${without(js)}`, async t => {
      const page = await t.page({ js });
      await buy(t, page, { item: 'print', environment: 'live' });
      await choose(page, 'card');
      await at(page, `decision-${decision}`).click();
      if (!js) await ask(page, status);
      await back(page);
      await sold(page, js, status);
    });
  }

  check(`shop: live, SBP in the app ends paid, on a phone${without(js)}`, async t => {
    const page = await t.page({ js, size: phone });
    await buy(t, page, { item: 'map', environment: 'live' });
    await choose(page, 'sbp');
    await at(page, 'open-app').click();
    await at(page, 'decision-pay').click();
    if (!js) await ask(page, 'paid');
    await back(page);
    await sold(page, js, 'paid');
    expect(/SBP/.test(await page.locator('.facts').innerText()), 'how it was paid');
  });

  check(`shop: live, crypto in dollars ends paid${without(js)}`, async t => {
    const page = await t.page({ js });
    await buy(t, page, { environment: 'live', currency: 'USD' });
    same(await text(at(page, 'amount').first()), '54.90 USD', 'the amount at the checkout');
    await choose(page, 'crypto');
    const wallet = await t.page({ js });
    await wallet.goto(await at(page, 'open-wallet').getAttribute('href'));
    await at(wallet, 'decision-pay_exact').click();
    if (!js) await ask(page, 'paid');
    await back(page);
    await sold(page, js, 'paid');
  }, { seconds: 90 });

  check(`shop: an order that nobody paid can be paid later, and ordered again after it failed${without(js)}`, async t => {
    const page = await t.page({ js });
    const order = await buy(t, page, { item: 'map' });
    const session = page.url();
    await find(t, page, order);
    await shows(page, 'pending');
    await at(page, 'check-again').click();
    await shows(page, 'pending');
    await at(page, 'go-pay').click();
    same(page.url(), session, 'the payment page of the order');
    await at(page, 'outcome-declined').check();
    await at(page, 'submit-outcome').click();
    await shows(page, 'failed');
    await back(page);
    await sold(page, js, 'failed');
    await at(page, 'order-again').click();
    await page.waitForURL(/\/sandbox\/session\//);
    expect(page.url() !== session, 'a new payment', page.url());
    same(await text(at(page, 'amount')), '890.00 RUB', 'the same thing');
  });
}

/// Without JavaScript, reloads a checkout page by "check again" until it shows this status.
const ask = (page, status) => until(`the checkout shows ${status}`, async () => {
  if (await page.locator(`[data-testid=status][data-status=${status}]`).count()) return true;
  await at(page, 'check-again').click({ timeout: 1000 }).catch(() => {});
  return false;
}, 40_000);

check('shop: an open order turns paid without a reload', async t => {
  const page = await t.page();
  const order = await buy(t, page);
  const session = page.url().split('/').at(-1);
  await find(t, page, order);
  await shows(page, 'pending');
  await page.evaluate(() => { window.same = true; });
  await at(page, 'line-create').locator('summary').click();
  await t.demo.simulate(session, { outcome: 'paid' });
  await shows(page, 'paid', 5000);
  expect(await page.evaluate(() => window.same), 'the page was not loaded again');
  expect(await at(page, 'line-create').getAttribute('open') !== null, 'what was open stays open');
  same(await page.locator('#say').textContent(), 'Thank you! Your order is paid', 'what a screen reader is told');
  await at(page, 'line-callback').waitFor();
});

check('shop: every curl of the panel runs as it is', async t => {
  const page = await t.page({ context: { permissions: ['clipboard-read', 'clipboard-write'] } });
  await buy(t, page);
  await at(page, 'submit-outcome').click();
  await back(page);
  await sold(page, true, 'paid');
  for (const [kind, status, words] of [
    ['create', 201, /"session_url"/], ['status', 200, /"status":"paid"/], ['callback', 200, /"received":true/],
  ]) {
    await at(page, `line-${kind}`).locator('summary').click();
    const curl = await at(page, `curl-${kind}`).innerText();
    await at(page, `line-${kind}`).locator('[data-copy]').click();
    await at(page, `line-${kind}`).getByText('Copied').waitFor();
    same(await page.evaluate(() => navigator.clipboard.readText()), curl, 'the clipboard');
    const { stdout } = await promisify(execFile)('bash', ['-c', curl]);
    expect(stdout.startsWith(`HTTP/1.1 ${status} `) && words.test(stdout), `${kind} works`, stdout);
    const request = await at(page, `line-${kind}`).locator('pre').first().innerText();
    expect(!request.includes(t.demo.facts.vendor.sandbox.client_secret), 'the shown request hides the secret', request);
  }
  await page.reload();
  await at(page, 'note').getByText('duplicate, nothing changed').waitFor();
  same(await at(page, 'status').getAttribute('data-status'), 'paid', 'the order after all of them');
});

check('shop: the language is chosen on the page, and the checkout follows', async t => {
  const page = await t.page();
  await page.goto(t.demo.shop);
  await at(page, 'other-language').click();
  same(await page.locator('html').getAttribute('lang'), 'ru', 'the language');
  await at(page, 'buy-atlas').click();
  await page.waitForURL(/\/session\//);
  same(await page.locator('html').getAttribute('lang'), 'ru', 'the language of the checkout');
  expect(await page.getByText('Атлас северного света').count(), 'the name in Russian');
});

check('shop: by keyboard alone', async t => {
  const page = await t.page();
  await page.goto(t.demo.shop);
  await at(page, 'environment-sandbox').focus();
  await page.keyboard.press('ArrowRight');
  expect(await at(page, 'environment-live').isChecked(), 'the arrow chooses');
  await page.keyboard.press('ArrowLeft');
  await at(page, 'buy-map').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/sandbox\/session\//);
});

/// Every page of the shop, and the steps to it.
const pages = [
  ['shelf', (t, page) => page.goto(t.demo.shop)],
  ['orders', async (t, page) => { await buy(t, page); await page.goto(`${t.demo.shop}/orders`); }],
  ['not-found', (t, page) => page.goto(`${t.demo.shop}/orders/B-0000-0000`)],
  ['pending', async (t, page) => find(t, page, await buy(t, page))],
  ...[['paid', 'paid'], ['declined', 'failed'], ['expire', 'expired']].map(([outcome, status]) =>
    [status, async (t, page) => {
      await buy(t, page, { item: status === 'failed' ? 'print' : 'atlas' });
      await at(page, `outcome-${outcome}`).check();
      await at(page, 'submit-outcome').click();
      await back(page);
      await shows(page, status);
      await at(page, 'line-callback').waitFor();
      if (status === 'paid') for (const line of ['create', 'callback']) await at(page, `line-${line}`).locator('summary').click();
    }]),
];

for (const language of languages) {
  for (const [name, go] of pages) {
    check(`shop: looks: ${name}, ${language}`, async t => {
      t.allow(/status of 404/);
      const page = await t.page({ language: locales[language] });
      await go(t, page);
      await look(page, `shop-${name}`, language);
    });
  }

  check(`shop: a fresh demo, nothing ordered, the API refuses, ${language}`, async t => {
    // The last session may be opened before the service has noticed that the vendor is disabled; its page then answers 404.
    t.allow(/status of 404/);
    const demo = await t.startDemo();
    times.push(await firstPurchase(t, demo));
    await demo.till('vendor', 'disable', demo.facts.vendor.vendor_id);
    const page = await t.page({ language: locales[language] });
    await until('the API refuses', async () => {
      await page.goto(demo.shop);
      await at(page, 'buy-atlas').click();
      await page.waitForURL(/session|shop\/orders/);
      return /\/shop\/orders\/B-/.test(page.url());
    });
    same(await at(page, 'status').getAttribute('data-status'), 'new', 'the order is kept');
    await look(page, 'shop-refused', language);
    await demo.till('vendor', 'enable', demo.facts.vendor.vendor_id);
    await until('it can be paid', async () => {
      await at(page, 'try-again').click();
      await page.waitForURL(/session|shop\/orders/);
      return /\/session\//.test(page.url());
    });
  }, { seconds: 90 });
}

/// The time from the line that says "ready" to "paid" on the shop's page, in a browser that is already open.
const firstPurchase = async (t, demo) => {
  const page = await t.page();
  await page.goto(`${demo.shop}/orders`);
  await page.getByText('No orders yet').waitFor();
  const started = Date.now();
  await buy({ demo }, page);
  await at(page, 'submit-outcome').click();
  await shows(page, 'paid');
  await at(page, 'return-link').click();
  await page.waitForURL(/\/shop\/orders\/B-/);
  await shows(page, 'paid');
  return { start: demo.tookToStart, buy: Date.now() - started };
};
