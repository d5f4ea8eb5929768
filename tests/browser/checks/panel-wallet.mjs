// A vendor's wallet: payments less the fee, a statement, a payout from its request to the bank's reference.
import { readFile } from 'node:fs/promises';
import { check, expect, same, until } from '../harness.mjs';
import { at, kind, text } from '../trial.mjs';
import { loggedIn, open } from '../panel.mjs';
import { languages, locales, look } from '../look.mjs';

const without = js => (js ? '' : ', without JavaScript');

/// Sends a form, and returns the URL of the redirect.
const send = async (url, form) => {
  const body = new URLSearchParams(form);
  // As a browser does from a page of ours.
  const headers = { Origin: new URL(url).origin };
  const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '', url).href;
};

/// A live vendor with these orders paid by card, and a fee of 2.5 %.
const paid = async (service, orders) => {
  const vendor = await service.newVendor('Halden Press');
  await service.till('vendor', 'fee', vendor.vendor_id, '--method', 'card', '--percent', '2.5');
  await new Promise(done => setTimeout(done, 1_200));
  for (const order_id of orders) {
    const session = await service.session('live', { order_id }, vendor);
    const bank = await send(`${service.url}/session/${session.id}/pay`, { method: 'card' });
    await send(bank, { decision: 'approve' });
    await until('it is paid', async () => await service.status(session) === 'paid');
  }
  await service.till('vendor', 'sandbox', 'off', vendor.vendor_id);
  await new Promise(done => setTimeout(done, 1_200));
  return vendor;
};

const cells = async (page, id) => {
  const found = await page.locator(`[data-testid=rows] [data-testid=${id}]`).allInnerTexts();
  return found.map(cell => cell.replace(/[\u00a0\u202f\n]/g, ' ').trim());
};

for (const js of [true, false]) {
  check(`panel wallet: money comes in, is told in a statement, and is paid out${without(js)}`, async t => {
    const service = t.desk, vendor = await paid(service, ['HP-1', 'HP-2']);
    const { page } = await loggedIn(t, 'vendor_admin', { vendor, js });
    await open(page, service, '/panel');
    if (js) await at(page, 'nav-wallet').click(); else await open(page, service, '/panel/wallet');
    same(await kind(page), 'wallet', 'where the entry leads');
    same(await text(at(page, 'available')), '9,730.50 RUB', 'what is available');
    same(await cells(page, 'balance'), ['9,730.50 RUB', '4,865.25 RUB'], 'the balance after each');
    same(await cells(page, 'in'), ['4,865.25 RUB', '4,865.25 RUB'], 'what came');
    const downloading = page.waitForEvent('download');
    await at(page, 'statement').click();
    const lines = (await readFile(await (await downloading).path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines.length === 5 && lines[1].includes('opening_balance') && lines[4].endsWith(',9730.50'), 'the statement', lines);
    await open(page, service, '/panel/wallet');
    await at(page, 'payout-ask').click();
    await at(page, 'amount').fill('9999.00');
    await at(page, 'destination').fill('Halden Press AS\n1503.02.33020');
    t.allow(/status of 422/);
    await at(page, 'review').click();
    same(await at(page, 'amount').inputValue(), '9999.00', 'what was typed stays');
    await page.locator('#amount-error').waitFor();
    await at(page, 'amount').fill('730.50');
    await at(page, 'review').click();
    expect((await text(at(page, 'asked-amount'))).includes('730.50'), 'it is shown once more');
    await at(page, 'confirm').click();
    await at(page, 'notice').waitFor();
    same(await text(at(page, 'available')), '9,000.00 RUB', 'what is left');
    same((await cells(page, 'out'))[0], '730.50 RUB', 'the newest entry');
    const { page: desk } = await loggedIn(t, 'operator', { js });
    const step = async (word, note) => {
      await open(desk, service, '/operator/payouts');
      const own = desk.locator(`article:has(a[href$="${vendor.vendor_id}"])`);
      await own.getByTestId(word).click();
      if (note) await at(desk, 'note').fill(note);
      await at(desk, 'confirm').click();
      await at(desk, 'notice').waitFor();
    };
    await step('approved');
    await step('sent', `Ref ${vendor.vendor_id}`);
    await open(page, service, '/panel/wallet');
    expect((await text(at(page, 'payout-rows'))).includes(`Ref ${vendor.vendor_id}`), 'the vendor sees it');
  }, { seconds: 90 });
}

for (const language of languages) {
  check(`panel wallet: looks, ${language}`, async t => {
    const service = t.desk, vendor = await paid(service, [`HP-${'x'.repeat(80)}`]);
    const { page } = await loggedIn(t, 'vendor_admin', { vendor, language: locales[language] });
    for (const [name, path] of [['wallet', '/panel/wallet'], ['wallet-none', '/panel/wallet?status=payout'],
      ['ask-payout', '/panel/wallet/payout']]) {
      await open(page, service, path);
      await look(page, `panel-${name}`, language);
    }
    await at(page, 'amount').fill('730.50');
    await at(page, 'destination').fill(`Halden Press, account ${'4081 7810 0000 '.repeat(8)}`);
    await at(page, 'review').click();
    await look(page, 'panel-ask-payout-sure', language);
    await at(page, 'confirm').click();
    await at(page, 'payout-rows').waitFor();
    await look(page, 'panel-wallet-payout', language);
    await at(page, 'rows').getByRole('link').first().click();
    await at(page, 'refund-link').click();
    await look(page, 'panel-refund', language);
    const { page: desk } = await loggedIn(t, 'operator', { language: locales[language] });
    await open(desk, service, '/operator/payouts');
    await look(desk, 'operator-payouts', language);
    await desk.locator(`article:has(a[href$="${vendor.vendor_id}"])`).getByTestId('approved').click();
    await look(desk, 'operator-payout-step', language);
    await open(desk, service, `/operator/vendors/${vendor.vendor_id}/wallet`);
    await look(desk, 'operator-wallet', language);
  }, { seconds: 120 });
}
