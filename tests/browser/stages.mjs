// Every page of the checkout, and the steps to it. Checks over all pages use this list.
import { until } from './harness.mjs';
import { at, shows } from './trial.mjs';
import { choose } from './checks/live.mjs';

const dollars = { price: '54.28', currency: 'USD' };

/// Chooses a method, opens the page that plays the bank, and decides there.
const decide = async (t, page, method, link, ...decisions) => {
  await choose(page, method);
  const bank = await t.page();
  await bank.goto(await at(page, link).getAttribute('href'));
  for (const decision of decisions) await at(bank, decision).click();
};

const outcome = (value, status) => async (t, page) => {
  await at(page, `outcome-${value}`).check();
  await at(page, 'submit-outcome').click();
  await shows(page, status);
};

const bank = (...steps) => async (t, page) => {
  await choose(page, 'card');
  await page.waitForURL(/\/bank\//);
  for (const step of steps) await at(page, step).click();
};

/// Name, environment, fields of the session, steps to the page, and the service if it is not the usual one.
export const stages = [
  ['sandbox', 'sandbox'],
  ['sandbox-challenge', 'sandbox', {}, async (t, page) => {
    await at(page, 'outcome-three_ds').check();
    await at(page, 'submit-outcome').click();
    await at(page, 'three-ds-confirm').waitFor();
  }],
  ['sandbox-paid', 'sandbox', {}, outcome('paid', 'paid')],
  ['sandbox-failed', 'sandbox', {}, outcome('insufficient_funds', 'failed')],
  ['sandbox-expired', 'sandbox', {}, outcome('expire', 'expired')],
  ['methods', 'live'],
  ['methods-sbp-open', 'live', { defaultPaymentMethod: 'sbp' }],
  ['methods-only-card', 'live', { availablePaymentMethods: ['card'], ...dollars }],
  ['methods-long', 'live', {
    product_name: 'A very long name that somebody put into a catalogue without thinking of phones, '.padEnd(200, 'W'),
    order_id: 'order-'.padEnd(120, '0123456789'), price: '123456789012.99',
  }],
  ['methods-problem', 'live', {}, async (t, page) => {
    await page.locator('#email').fill('nobody at home');
    await at(page, 'pay-card').click();
    await page.locator('#problem').waitFor();
  }],
  ['bank', 'live', {}, bank()],
  ['bank-challenge', 'live', {}, bank('decision-three_ds')],
  ['continue-at-bank', 'live', {}, bank('decision-leave')],
  ['embedded', 'live', {}, async (t, page) => { await choose(page, 'card'); await at(page, 'element-approve').waitFor(); }, 'embedding'],
  ['sbp', 'live', {}, async (t, page) => { await choose(page, 'sbp'); await page.locator('main[data-kind=qr]').waitFor(); }],
  ['processing', 'live', {}, async (t, page) => {
    await decide(t, page, 'sbp', 'open-app', 'decision-approve_slowly');
    await until('it is processed', async () => {
      await page.reload();
      return await page.locator('main').getAttribute('data-kind') === 'processing';
    });
  }],
  ['crypto', 'live', dollars, async (t, page) => { await choose(page, 'crypto'); await at(page, 'address').waitFor(); }],
  ['crypto-confirming', 'live', dollars, async (t, page) => {
    await decide(t, page, 'crypto', 'open-wallet', 'decision-pay_exact');
    await until('it confirms', async () => { await page.reload(); return at(page, 'confirmations').count(); });
  }],
  ['crypto-short', 'live', dollars, async (t, page) => {
    await decide(t, page, 'crypto', 'open-wallet', 'decision-pay_short');
    await until('what is missing is said', async () => {
      await page.reload();
      return page.locator('h1', { hasText: /5[.,]428/ }).count();
    });
  }],
  ['paid', 'live', {}, async (t, page) => {
    await page.locator('#email').fill('customer@example.com');
    await bank('decision-approve')(t, page);
    await shows(page, 'paid');
  }],
  ['receipt', 'live', {}, async (t, page) => {
    await bank('decision-approve')(t, page);
    await shows(page, 'paid');
    await page.goto(t.till.url + await at(page, 'receipt-link').getAttribute('href'));
  }],
  ['no-receipt', 'live', {}, (t, page) => page.goto(`${t.till.url}/receipt/${'0'.repeat(32)}`)],
  ['paid-over', 'live', dollars, async (t, page) => {
    await decide(t, page, 'crypto', 'open-wallet', 'decision-pay_over');
    await until('paid', async () => { await page.reload(); return page.locator('[data-status=paid]').count(); }, 40_000);
  }],
  ['leave', 'live', {}, (t, page, session) => page.goto(`${session.url}/return?asks`)],
  ['failed', 'live', {}, async (t, page) => { await bank('decision-decline')(t, page); await shows(page, 'failed'); }],
  ['already-paid', 'live', {}, async (t, page, session) => {
    await bank('decision-approve')(t, page);
    await shows(page, 'paid');
    await page.goto((await t.till.session('live', { order_id: session.order })).url);
  }],
  ['not-found', 'live', {}, (t, page) => page.goto(`${t.till.url}/session/01890a5d-ac96-774b-bcce-b302099a8057`)],
  ['sandbox-off', 'sandbox', {}, async (t, page) => {
    const vendor = await t.till.newVendor('Switched off');
    const session = await t.till.session('sandbox', {}, vendor);
    await t.till.till('vendor', 'sandbox', 'off', vendor.vendor_id);
    await until('it is off', async () => (await page.goto(session.url)).status() === 403);
  }],
  ['expired', 'live', {}, async (t, page, session) => {
    await until('it has expired', async () => await t.hasty.status(session) === 'expired', 15_000);
    await page.goto(session.url);
  }, 'hasty'],
].map(([name, environment, fields = {}, go = async () => {}, service = 'till']) =>
  ({ name, environment, fields, go, service, isAnswer: name === 'methods-problem' }));

/// Freezes the page that is shown: no updates, and no redirect to the shop.
const hold = page => page.route(/\/session\/[^/]+(\/(events|return))?$/, async route => {
  const request = route.request();
  if (request.url().endsWith('/return')) return route.fulfill({ status: 204 });
  if (request.resourceType() !== 'fetch') return route.continue();
  const body = await page.content().catch(() => null);
  return body ? route.fulfill({ contentType: 'text/html', body }) : route.abort();
});

/// Opens a page of the list and freezes it.
export const stage = async (t, { environment, fields, go, service }, options) => {
  t.allow(/status of (403|404|422)/);
  const session = await t[service].session(environment, fields);
  const page = await t.page(options);
  await hold(page);
  await page.goto(session.url);
  await go(t, page, session);
  return page;
};

/// The same page in another browser context.
export const alsoOpen = async (t, page, options) => {
  const other = await t.page(options);
  await hold(other);
  await other.goto(page.url());
  return other;
};
