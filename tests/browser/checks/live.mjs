// Live pages over the simulated bank: card, SBP and crypto to their ends, with and without JavaScript.
import { check, expect, same, until } from '../harness.mjs';
import { at, ended, phone, shows, text } from '../trial.mjs';

const without = js => (js ? '' : ', without JavaScript');

/// Opens the panel of a method and continues with it.
export const choose = async (page, method) => {
  const details = page.locator('details', { has: at(page, `pay-${method}`) });
  if (await details.count() && await details.getAttribute('open') === null) await at(page, `method-${method}`).click();
  await at(page, `pay-${method}`).click();
};

/// Waits until the page shows this status: by itself with JavaScript, else by "check again".
const look = async (page, js, status) => {
  if (js) return shows(page, status);
  await until(`the page shows ${status}`, async () => {
    if (await page.locator(`[data-testid=status][data-status=${status}]`).count()) return true;
    await at(page, 'check-again').click();
    return false;
  }, 40_000);
};

for (const js of [true, false]) {
  const card = [
    [['decision-approve'], 'paid'],
    [['decision-decline'], 'failed', 'card_declined'],
    [['decision-three_ds', 'three-ds-confirm'], 'paid'],
    [['decision-three_ds', 'three-ds-refuse'], 'failed', 'three_ds_failed'],
    [['decision-cancel'], 'failed', 'canceled_by_customer'],
  ];
  for (const [steps, status, reason] of card) {
    check(`card: ${steps.at(-1)} at the bank ends ${status}${without(js)}`, async t => {
      const session = await t.till.session('live');
      const page = await t.page({ js });
      await page.goto(session.url);
      await choose(page, 'card');
      await page.waitForURL(/\/bank\//);
      for (const step of steps) await at(page, step).click();
      await look(page, js, status);
      await ended(session, status, reason);
    });
  }

  check(`SBP: the code, the app's button on a phone, paid in the app${without(js)}`, async t => {
    const session = await t.till.session('live');
    const page = await t.page({ js, size: phone });
    await page.goto(session.url);
    await choose(page, 'sbp');
    const code = page.locator('.narrow .qr');
    expect(!await code.isVisible(), 'the code for another phone is folded');
    await at(page, 'other-phone').click();
    await code.waitFor();
    const left = await at(page, 'time-left').innerText();
    expect(/^(10:00|09:\d\d)$/.test(left), 'the code\'s ten minutes', left);
    same(await at(page, 'time-left').isVisible(), js, 'a timer only where it runs');
    same(await page.getByText('updates automatically').first().isVisible(), js, 'a promise only where it is kept');
    expect(await at(page, 'open-app').isVisible(), 'the app\'s button on a phone');
    await at(page, 'open-app').click();
    await at(page, 'decision-pay').click();
    await look(page, js, 'paid');
    await ended(session, 'paid');
    same(t.shop.of(session)[0].paymentMethod, 'sbp', 'the method in the callback');
  });

  check(`SBP: the code on a desktop, approved slowly elsewhere${without(js)}`, async t => {
    const session = await t.till.session('live', { defaultPaymentMethod: 'sbp' });
    const page = await t.page({ js });
    await page.goto(session.url);
    await choose(page, 'sbp');
    await page.locator('.qr.wide path').waitFor();
    same(await text(at(page, 'open-app')), 'Open the simulated bank', 'the way on, also on a desktop');
    const bank = await t.page({ js });
    await bank.goto(await at(page, 'open-app').getAttribute('href'));
    await at(bank, 'decision-approve_slowly').click();
    await look(page, js, 'paid');
    await ended(session, 'paid');
  });

  check(`crypto: address, confirmations, paid${without(js)}`, async t => {
    const session = await t.till.session('live', { price: '54.28', currency: 'USD', return_url: undefined });
    const page = await t.page({ js });
    await page.goto(session.url);
    expect(!await at(page, 'method-sbp').count(), 'no SBP in dollars');
    await choose(page, 'crypto');
    const address = await at(page, 'address').innerText();
    expect(/^SIMULATED-NOT-AN-ADDRESS-[0-9a-f]{12}$/.test(address), 'visibly no address', address);
    expect((await text(page.locator('main'))).includes('1 USDC = 1.00 USD'), 'the rate is shown');
    same(await text(page.locator('h1')), 'Send exactly 54.28 USDC', 'the instruction');
    await page.locator('.qr svg path').waitFor();
    same(await page.locator('[data-copy]').first().isVisible(), js, 'copy buttons only where they work');
    const wallet = await t.page({ js });
    await wallet.goto(await at(page, 'open-wallet').getAttribute('href'));
    await at(wallet, 'decision-pay_exact').click();
    const seen = [];
    await until('confirmations are shown', async () => {
      if (!js) await at(page, 'check-again').click();
      return at(page, 'confirmations').count();
    }, 5000);
    expect(!await at(page, 'time-left').count(), 'no clock while it confirms');
    await until('paid', async () => {
      if (await page.locator('[data-status=paid]').count()) return true;
      const count = await at(page, 'confirmations').innerText({ timeout: 1000 }).catch(() => null);
      if (count && count !== seen.at(-1)) seen.push(count);
      if (!js) await at(page, 'check-again').click({ timeout: 1000 }).catch(() => {});
      return false;
    }, 40_000);
    expect(seen.every(count => /^[0-6] of 6$/.test(count)), 'the confirmations', seen);
    expect(!js || seen.length > 2, 'the page counts them by itself', seen);
    await ended(session, 'paid');
  });

  check(`crypto: less than due says what is missing, another way can be chosen${without(js)}`, async t => {
    const session = await t.till.session('live', { price: '54.28', currency: 'USD' });
    const page = await t.page({ js });
    await page.goto(session.url);
    await choose(page, 'crypto');
    const wallet = await t.page({ js });
    await wallet.goto(await at(page, 'open-wallet').getAttribute('href'));
    await at(wallet, 'decision-pay_short').click();
    await until('what is missing is said at once', async () => {
      if (!js) await at(page, 'check-again').click({ timeout: 1000 }).catch(() => {});
      return at(page, 'short').count();
    }, 6000);
    expect((await text(at(page, 'short'))).startsWith('5.428 USDC is still missing.'), 'while it confirms');
    const missing = page.getByText('We received 48.852 of 54.28 USDC. Send 5.428 more to the same address.');
    await until('what is missing is said', async () => {
      if (await missing.count()) return true;
      if (!js) await at(page, 'check-again').click({ timeout: 1000 }).catch(() => {});
      return false;
    }, 40_000);
    same(await text(page.locator('h1')), 'Send 5.428 USDC more', 'the instruction');
    expect(/^Send 5.428\s(USDC)/.test(await page.title()), 'the title', await page.title());
    same(await t.till.status(session), 'pending', 'the status');
    await at(page, 'choose-another').click();
    await at(page, 'method-card').waitFor();
  });

  check(`another way to pay: from SBP back to card${without(js)}`, async t => {
    const session = await t.till.session('live');
    const page = await t.page({ js });
    await page.goto(session.url);
    await choose(page, 'sbp');
    await at(page, 'choose-another').click();
    await choose(page, 'card');
    await page.waitForURL(/\/bank\//);
    await at(page, 'decision-leave').click();
    await at(page, 'choose-another').click();
    await choose(page, 'card');
    await page.waitForURL(/\/bank\//);
    await at(page, 'decision-approve').click();
    await look(page, js, 'paid');
    await ended(session, 'paid');
    same(t.shop.of(session)[0].paymentMethod, 'card', 'the method in the callback');
  });

  check(`the e-mail field: a wrong address is said, a right one is kept${without(js)}`, async t => {
    t.allow(/status of 422/);
    const session = await t.till.session('live');
    const page = await t.page({ js });
    await page.goto(session.url);
    await page.locator('#email').fill('nobody at home');
    await at(page, 'pay-card').click();
    const problem = page.locator('#problem');
    await problem.waitFor();
    same(await page.locator('#email').inputValue(), 'nobody at home', 'what was typed');
    same(await page.locator('#email').getAttribute('aria-invalid'), 'true', 'the field is marked');
    expect((await page.title()).startsWith('Error: '), 'the title begins with the error', await page.title());
    same(await page.evaluate(() => document.activeElement.id), 'problem', 'the focus');
    await problem.getByRole('link').click();
    same(await page.evaluate(() => document.activeElement.id), 'email', 'the focus after the link');
    await page.locator('#email').fill('customer@example.com');
    await at(page, 'pay-card').click();
    await at(page, 'decision-approve').click();
    await look(page, js, 'paid');
    expect(await page.getByText(/(Sending|Sent) to c\S+@example\.com/).count(), 'the receipt\'s address, masked');
    const receipt = await at(page, 'receipt-link').getAttribute('href');
    await ended(session, 'paid');
    await until('the receipt is mailed', () => t.postbox.letters.some(letter => letter.replaceAll('=\n', '').includes(receipt)));
    await page.goto(t.till.url + receipt);
    same(await page.locator('main').getAttribute('data-kind'), 'receipt', 'the page of the receipt');
    same(await page.locator('a[href*="/session/"]').count(), 0, 'links to the session');
  });
}

check('crypto: the copy buttons copy address and amount', async t => {
  const session = await t.till.session('live', { price: '54.28', currency: 'USD', defaultPaymentMethod: 'crypto' });
  const page = await t.page({ context: { permissions: ['clipboard-read', 'clipboard-write'] } });
  await page.goto(session.url);
  await choose(page, 'crypto');
  const address = await at(page, 'address').innerText();
  for (const [number, wanted] of [[0, '54.28'], [1, address]]) {
    const button = page.locator('[data-copy]').nth(number);
    const told = [
      button.getByText('Copied').waitFor(),
      page.locator('#say', { hasText: 'Copied' }).waitFor({ state: 'attached' }),
    ];
    await button.click();
    await Promise.all(told);
    same(await page.evaluate(() => navigator.clipboard.readText()), wanted, 'the clipboard');
  }
  await page.locator('[data-copy]').first().getByText('Copy', { exact: true }).waitFor();
});

check('crypto: more than due is paid, and said', async t => {
  const session = await t.till.session('live', { price: '50', currency: 'USD', return_url: undefined });
  const page = await t.page();
  await page.goto(session.url);
  await choose(page, 'crypto');
  const wallet = await t.page();
  await wallet.goto(await at(page, 'open-wallet').getAttribute('href'));
  await at(wallet, 'decision-pay_over').click();
  await page.getByText('You sent 5.00 USDC too much. Contact Halden Press to get it back.').waitFor();
  await ended(session, 'paid');
  const { shop } = session.service;
  await until('the excess is reported', () => shop.of(session).some(({ event }) => event === 'payment.over'));
});

check('one method only: no choice, the form at once', async t => {
  const session = await t.till.session('live', { availablePaymentMethods: ['sbp'] });
  const page = await t.page();
  await page.goto(session.url);
  same(await page.locator('details').count(), 0, 'things to choose from');
  await at(page, 'pay-sbp').click();
  await page.locator('.qr.wide').waitFor();
});

for (const [button, status, reason] of [['approve', 'paid'], ['insufficient_funds', 'failed', 'insufficient_funds'], ['approve_slowly', 'paid']]) {
  check(`card: ${button} in the provider's own form on our page ends ${status}`, async t => {
    const session = await t.embedding.session('live');
    const page = await t.page();
    await page.goto(session.url);
    await choose(page, 'card');
    await at(page, `element-${button}`).click();
    await shows(page, status);
    await ended(session, status, reason);
  });
}

check('card: the provider\'s form asks for 3-D Secure, and comes back', async t => {
  const session = await t.embedding.session('live');
  const page = await t.page();
  await page.goto(session.url);
  await choose(page, 'card');
  await at(page, 'element-three_ds').click();
  await at(page, 'three-ds-confirm').click();
  await shows(page, 'paid');
  await ended(session, 'paid');
});

check('card: the provider\'s form opened in one tab comes to the other, too', async t => {
  const session = await t.embedding.session('live');
  const one = await t.page(), two = await t.page({ beside: one });
  await two.goto(session.url);
  await one.goto(session.url);
  await choose(one, 'card');
  await at(two, 'element-approve').click();
  for (const page of [one, two]) await shows(page, 'paid');
  await ended(session, 'paid');
});

check('card: without JavaScript the provider\'s form says so, and SBP can be chosen', async t => {
  const session = await t.embedding.session('live');
  const page = await t.page({ js: false, size: phone });
  await page.goto(session.url);
  await choose(page, 'card');
  expect(/needs JavaScript/.test(await text(page.locator('main'))), 'the page says what is missing');
  await at(page, 'choose-another').click();
  await choose(page, 'sbp');
  await at(page, 'open-app').waitFor();
  await at(page, 'open-app').click();
  await at(page, 'decision-pay').click();
  await look(page, false, 'paid');
  await ended(session, 'paid');
});
