// Live crypto on a real chain: the customer pays by transfer, the page counts the confirmations, and shop and
// wallet agree.
import { check, expect, same, until } from '../harness.mjs';
import { at, ended, phone, text } from '../trial.mjs';
import { loggedIn, open } from '../panel.mjs';
import { choose } from './live.mjs';

/// One payment at a time: new blocks add confirmations to every payment.
let before = Promise.resolve();
const alone = work => async t => {
  const others = before;
  let done;
  before = new Promise(end => { done = end; });
  await others;
  await work(t).finally(done);
};

const dollars = { price: '54.28', currency: 'USD', return_url: undefined };

/// Chooses a coin, and returns the address that is shown.
const choosing = async (page, coin) => {
  const radio = at(page, `coin-${coin}`);
  if (!await radio.isVisible()) await at(page, 'method-crypto').click();
  await radio.check();
  await choose(page, 'crypto');
  return (await at(page, 'address').innerText()).replace(/\s/g, '');
};

/// Adds blocks one by one, and returns the counts that the page showed until it was paid.
const confirmed = async (t, page, js) => {
  const counts = [];
  await until('paid', async () => {
    if (await page.locator('[data-status=paid]').count()) return true;
    if (!js) await at(page, 'check-again').click({ timeout: 1000 }).catch(() => {});
    const count = await at(page, 'confirmations').innerText({ timeout: 500 }).catch(() => null);
    if (count && count !== counts.at(-1)) {
      counts.push(count);
      await t.chain.mine();
    }
    return false;
  }, 40_000);
  return counts;
};

for (const js of [true, false]) {
  const without = js ? '' : ', without JavaScript';
  check(`chain: a token, confirmations one by one, paid, callback and wallet agree${without}`, alone(async t => {
    const vendor = await t.evm.newVendor(`Crypto shop${without}`);
    const session = await t.evm.session('live', dollars, vendor);
    const page = await t.page({ js });
    await page.goto(session.url);
    const address = await choosing(page, 'usdc-31337');
    expect(/^0x[0-9a-fA-F]{40}$/.test(address), 'an address', address);
    same(await text(page.locator('h1')), 'Send exactly 54.28 USDC', 'the instruction');
    await page.locator('.qr svg path').waitFor();
    await t.chain.sendToken(address, 54_280_000);
    const counts = await confirmed(t, page, js);
    expect(counts.length >= 3 && counts.every(count => /4/.test(count)), 'a count for each block', counts);
    await ended(session, 'paid');
    const [callback] = t.shop.of(session);
    same([callback.price, callback.currency, callback.paymentMethod], ['54.28', 'USD', 'crypto'], 'the callback');
    const wallet = await t.evm.call('GET', '/api/wallet', undefined, vendor.tokens.live);
    expect(JSON.stringify(wallet).includes('"54.28"'), 'the wallet has it', wallet);
    if (!js) return;
    await t.evm.till('vendor', 'sandbox', 'off', vendor.vendor_id);
    const { page: panel } = await loggedIn(t, 'vendor_admin', { service: t.evm, vendor });
    await open(panel, t.evm, '/panel/wallet');
    expect((await text(panel.locator('main'))).includes('54.28'), 'the wallet page has it');
  }), { seconds: 120 });
}

check('chain: the chain\'s own coin, in two parts, on a phone', alone(async t => {
  const session = await t.evm.session('live', { ...dollars, price: '50.00' });
  const page = await t.page({ size: phone });
  await page.goto(session.url);
  const address = await choosing(page, 'eth-31337');
  same(await text(page.locator('h1')), 'Send exactly 0.02 ETH', 'the instruction');
  expect(/1 ETH = 2,?500(\.00)? USD/.test(await text(page.locator('body'))), 'the rate', await text(page.locator('body')));
  await t.chain.send(address, 5n * 10n ** 15n);
  await until('what is missing is said', async () => {
    await t.chain.mine();
    return /0\.015/.test(await text(page.locator('h1')));
  });
  await t.chain.send(address, 15n * 10n ** 15n);
  await until('paid', async () => {
    await t.chain.mine();
    return page.locator('[data-status=paid]').count();
  });
  await ended(session, 'paid');
}), { seconds: 120 });
