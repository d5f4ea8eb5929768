// The sandbox page: every outcome, by its test ids, with and without JavaScript.
import { check, expect, same } from '../harness.mjs';
import { at, ended, kind, shows, text } from '../trial.mjs';

const outcomes = [
  ['paid', 'paid'],
  ['declined', 'failed', 'card_declined'],
  ['insufficient_funds', 'failed', 'insufficient_funds'],
  ['three_ds', 'paid', undefined, 'three-ds-confirm'],
  ['three_ds', 'failed', 'three_ds_failed', 'three-ds-refuse'],
  ['expire', 'expired'],
];

for (const js of [true, false]) {
  for (const [outcome, status, reason, challenge] of outcomes) {
    const name = `sandbox: ${challenge ?? outcome} ends ${status}${js ? '' : ', without JavaScript'}`;
    check(name, async t => {
      const session = await t.till.session('sandbox');
      const page = await t.page({ js });
      await page.goto(session.url);
      same(await at(page, 'status').getAttribute('data-status'), 'pending', 'the status before');
      same(await text(at(page, 'amount')), '4,990.00 RUB', 'the amount');
      const left = await at(page, 'time-left').innerText();
      expect(/^1[45]:\d\d$/.test(left), 'the time left', left);
      await at(page, `outcome-${outcome}`).check();
      await at(page, 'submit-outcome').click();
      if (challenge) {
        await at(page, 'three-ds-refuse').waitFor();
        same(await t.till.status(session), 'pending', 'the status during the challenge');
        await at(page, challenge).click();
      }
      await shows(page, status);
      await ended(session, status, reason);
      await at(page, 'return-link').waitFor();
    });
  }

  check(`sandbox: a tester may walk away from the challenge and come back${js ? '' : ', without JavaScript'}`, async t => {
    const session = await t.till.session('sandbox');
    const page = await t.page({ js });
    await page.goto(session.url);
    await at(page, 'outcome-three_ds').check();
    await at(page, 'submit-outcome').click();
    await at(page, 'decision-leave').click();
    await at(page, 'continue-to-bank').waitFor();
    same(await t.till.status(session), 'pending', 'the status after walking away');
    await page.reload();
    await at(page, 'continue-to-bank').click();
    await at(page, 'three-ds-confirm').click();
    await shows(page, 'paid');
    await ended(session, 'paid');
  });
}

for (const js of [true, false]) {
  check(`sandbox: a tester refunds a payment and disputes it on its page${js ? '' : ', without JavaScript'}`, async t => {
    const session = await t.till.session('sandbox', { return_url: undefined });
    const page = await t.page({ js });
    await page.goto(session.url);
    await at(page, 'submit-outcome').click();
    await shows(page, 'paid');
    if (js && await at(page, 'stay-here').count()) await at(page, 'stay-here').click();
    await at(page, 'simulate-link').click();
    for (const choice of ['dispute_opened', 'dispute_won', 'refund']) {
      await at(page, `decision-${choice}`).click();
      await at(page, 'simulate-note').waitFor();
      same(await at(page, `decision-${choice}`).count(), 0, `${choice} is offered again`);
      await page.goto(`${session.url}/simulate`);
    }
    await at(page, 'decision-back').click();
    await shows(page, 'paid');
    await ended(session, 'paid');
  });
}

check('sandbox: the callback holds what the page showed', async t => {
  const name = 'A <b>bold</b> & "quoted" tea';
  const session = await t.till.session('sandbox', { product_name: name, price: '12.5', currency: 'USD' });
  const page = await t.page();
  await page.goto(session.url);
  expect(await page.getByText(name).count(), 'the name as it was sent');
  await at(page, 'submit-outcome').click();
  await shows(page, 'paid');
  await ended(session, 'paid');
  const [callback] = t.shop.of(session);
  same([callback.productName, callback.price, callback.currency, callback.orderId],
    [name, '12.5', 'USD', session.order], 'the callback');
});

check('sandbox: an outcome by the API shows on the open page', async t => {
  const session = await t.till.session('sandbox');
  const page = await t.page();
  await page.goto(session.url);
  await at(page, 'submit-outcome').waitFor();
  await t.till.call('POST', `/api/sandbox/vendor/checkout-session/${session.id}/simulate`,
    { outcome: 'failed', failure_reason: 'card_expired' }, t.till.vendor.tokens.sandbox);
  await shows(page, 'failed', 3000);
  same(await kind(page), 'failed', 'the kind of page');
  same(await page.evaluate(() => document.activeElement.tagName), 'H1', 'the focus');
});
