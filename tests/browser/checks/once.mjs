// Tabs, buttons and reloads in any order lead to one payment.
import { check, expect, same } from '../harness.mjs';
import { at, ended, once, shows } from '../trial.mjs';
import { choose } from './live.mjs';

check('two tabs: paid in one, the other shows it by itself', async t => {
  const session = await t.till.session('live');
  const one = await t.page();
  await one.goto(session.url);
  const two = await t.page({ beside: one });
  await two.goto(session.url);
  await one.bringToFront();
  await choose(one, 'card');
  await at(one, 'decision-approve').click();
  await shows(two, 'paid', 4000);
  same(await two.evaluate(() => document.activeElement.tagName), 'H1', 'the focus');
  expect((await two.title()).startsWith('Paid 4,990.00'), 'the title', await two.title());
  await once(session, 'paid');
});

check('two tabs: one with a filled-in field is left alone until it is left', async t => {
  const session = await t.till.session('sandbox');
  const one = await t.page();
  await one.goto(session.url);
  const two = await t.page({ beside: one });
  await two.goto(session.url);
  await at(two, 'outcome-declined').focus();
  await one.bringToFront();
  await at(one, 'submit-outcome').click();
  await shows(one, 'paid');
  await two.waitForTimeout(700);
  same(await two.locator('[data-testid=status]').getAttribute('data-status'), 'pending', 'the page in use');
  await two.evaluate(() => document.activeElement.blur());
  await shows(two, 'paid', 3000);
  await once(session, 'paid');
});

check('two tabs: an outcome posted from a page that is out of date changes nothing', async t => {
  const session = await t.till.session('sandbox');
  const one = await t.page({ js: false });
  await one.goto(session.url);
  const two = await t.page({ beside: one });
  await two.goto(session.url);
  await one.bringToFront();
  await at(one, 'submit-outcome').click();
  await shows(one, 'paid');
  await two.bringToFront();
  await at(two, 'outcome-declined').check();
  await at(two, 'submit-outcome').click();
  await shows(two, 'paid');
  await once(session, 'paid');
});

for (const js of [true, false]) {
  check(`double click on every button: one payment${js ? '' : ', without JavaScript'}`, async t => {
    const session = await t.till.session('live');
    const page = await t.page({ js });
    await page.goto(session.url);
    await at(page, 'pay-card').dblclick();
    await page.waitForURL(/\/bank\//);
    await at(page, 'decision-approve').dblclick();
    await shows(page, 'paid');
    await once(session, 'paid');
    const test = await t.till.session('sandbox');
    await page.goto(test.url);
    await at(page, 'submit-outcome').dblclick();
    await shows(page, 'paid');
    await once(test, 'paid');
  });

  check(`back after paying shows the result, and cannot pay again${js ? '' : ', without JavaScript'}`, async t => {
    const session = await t.till.session('live');
    const page = await t.page({ js });
    await page.goto(session.url);
    await choose(page, 'card');
    await at(page, 'decision-approve').click();
    await shows(page, 'paid');
    for (let step = 0; step < 3; step += 1) {
      await page.goBack().catch(() => {});
      if (!page.url().startsWith(t.till.url)) break;
      if (page.url().includes('/bank/')) {
        same(await at(page, 'decision-approve').count(), 0, 'ways to pay again at the bank');
        continue;
      }
      await shows(page, 'paid');
      same(await page.locator('form').count(), 0, 'forms on the page');
    }
    await once(session, 'paid');
  });

  check(`reload at every step: one payment${js ? '' : ', without JavaScript'}`, async t => {
    const session = await t.till.session('live');
    const page = await t.page({ js });
    await page.goto(session.url);
    await page.reload();
    await choose(page, 'card');
    await page.waitForURL(/\/bank\//);
    await page.reload();
    await at(page, 'decision-three_ds').click();
    await at(page, 'three-ds-confirm').waitFor();
    await page.reload();
    await at(page, 'three-ds-confirm').click();
    await shows(page, 'paid');
    await page.reload();
    await shows(page, 'paid');
    await once(session, 'paid');
  });
}

check('SBP and crypto: reloads keep the code and the address', async t => {
  const session = await t.till.session('live');
  const page = await t.page();
  await page.goto(session.url);
  await choose(page, 'sbp');
  const code = () => page.locator('.qr path').getAttribute('d');
  const first = await code();
  await page.reload();
  same(await code(), first, 'the code');
  await at(page, 'choose-another').click();
  await choose(page, 'crypto');
  const address = await at(page, 'address').innerText();
  await page.reload();
  same(await at(page, 'address').innerText(), address, 'the address');
});

check('a form that another site sends is not accepted', async t => {
  t.allow(/status of 403/);
  const session = await t.till.session('sandbox');
  const page = await t.page();
  await page.goto(`${t.shop.url}/elsewhere`);
  await page.evaluate(url => {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: `${url}/pay` });
    form.innerHTML = '<input name="outcome" value="paid"><input name="method" value="card">';
    document.body.append(form);
    form.submit();
  }, session.url);
  await page.getByRole('heading', { name: 'We couldn’t accept this form' }).waitFor();
  same(await t.till.status(session), 'pending', 'the status');
});

check('an order that is paid is paid again only after a confirmation', async t => {
  const session = await t.till.session('live');
  const page = await t.page();
  await page.goto(session.url);
  await choose(page, 'card');
  await at(page, 'decision-approve').click();
  await shows(page, 'paid');
  await ended(session, 'paid');
  const again = await t.till.session('live', { order_id: session.order });
  await page.goto(again.url);
  await page.getByRole('heading', { name: 'This is already paid' }).waitFor();
  expect(!await at(page, 'pay-again-confirm').isVisible(), 'the confirmation is folded');
  same(await t.till.status(again), 'pending', 'the status of the second session');
  await at(page, 'pay-again').click();
  await page.getByText('a second time for the same order').waitFor();
  await at(page, 'pay-again-confirm').click();
  await choose(page, 'card');
  await at(page, 'decision-approve').click();
  await shows(page, 'paid');
  await ended(again, 'paid');
});
