// Refunds: from the customer's payment to the wallet, to a partial refund, to both receipts by mail.
import { check, expect, same, until } from '../harness.mjs';
import { at, shows, text } from '../trial.mjs';
import { loggedIn, open } from '../panel.mjs';
import { choose } from './live.mjs';

const words = {
  en: { language: 'en-GB', paid: 'Receipt from', refunded: 'Refund from', amount: '4,990.00', part: '990.00' },
  ru: { language: 'ru-RU', paid: 'Квитанция об оплате:', refunded: 'Возврат', amount: '4 990,00', part: '990,00' },
};

/// The decoded subject of a mail.
const subject = letter => {
  const lines = /^Subject: (.*(?:\n[ \t].*)*)/m.exec(letter)?.[1] ?? '';
  const plain = lines.replace(/\?=\s+=\?/g, '?==?').replace(/=\?utf-8\?b\?([^?]*)\?=/gi, (_, text) => Buffer.from(text, 'base64'));
  return plain.replace(/[\u00a0\u202f]/g, ' ').replace(/\s+/g, ' ');
};

for (const [short, { language, paid, refunded, amount, part }] of Object.entries(words)) {
  check(`panel refund: a part goes back, and the customer has both receipts, ${short}`, async t => {
    const service = t.till, email = `ann-${short}@mail.example`;
    const vendor = await service.newVendor('Halden Press');
    const session = await service.session('live', { order_id: `R-${short}` }, vendor);
    const customer = await t.page({ language });
    await customer.goto(`${service.url}/session/${session.id}`);
    await customer.locator('#email').fill(email);
    await choose(customer, 'card');
    await customer.waitForURL(/\/bank\//);
    await at(customer, 'decision-approve').click();
    await shows(customer, 'paid');
    const letters = () => t.postbox.letters.filter(letter => letter.includes(`To: ${email}`)).map(subject);
    const arrived = (start, money) => until(`${start} ${money}`, () => letters().find(s => s.startsWith(start) && s.includes(money)));
    await arrived(paid, amount);
    await service.till('vendor', 'sandbox', 'off', vendor.vendor_id);
    await new Promise(done => setTimeout(done, 1_200));
    const { page } = await loggedIn(t, 'vendor_admin', { service, vendor });
    await open(page, service, '/panel/wallet');
    same(await text(at(page, 'available')), '4,990.00 RUB', 'the wallet has it');
    await open(page, service, `/panel/sessions/${session.id}`);
    await at(page, 'refund-link').click();
    await page.locator('#amount').fill('9999');
    t.allow(/status of 422/);
    await at(page, 'confirm').click();
    await page.locator('#amount-error').waitFor();
    await page.locator('#amount').fill('990.00');
    await page.locator('#reason').fill('wrong size');
    await at(page, 'confirm').click();
    await at(page, 'confirm').click();
    await at(page, 'notice').waitFor();
    await until('it is gone', async () => {
      await open(page, service, `/panel/sessions/${session.id}`);
      return await page.locator('[data-testid=refund][data-status=succeeded]').count() === 1;
    });
    same(await service.status(session), 'paid', 'the session stays as it is');
    await open(page, service, '/panel/wallet');
    same(await text(at(page, 'available')), '4,000.00 RUB', 'what is left');
    await arrived(refunded, part);
    same(letters().length, 2, 'a receipt of the payment and one of the refund');
    const tried = await service.session('sandbox', { order_id: `R-${short}` });
    await customer.goto(tried.url ?? `${service.url}/sandbox/session/${tried.id}`);
    expect(await customer.locator('#email').count() === 0, 'a sandbox asks for no address');
    await at(customer, 'outcome-paid').check();
    await at(customer, 'submit-outcome').click();
    await shows(customer, 'paid');
    same(letters().length, 2, 'a sandbox mails nothing');
  }, { seconds: 90 });
}
