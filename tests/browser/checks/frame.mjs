// Around the payment: languages, pages without a payment, a checkout under another host name.
import { check, expect, same, until } from '../harness.mjs';
import { at, ended, shows } from '../trial.mjs';
import { choose } from './live.mjs';

const language = page => page.locator('html').getAttribute('lang');

check('language: by what the browser asks for', async t => {
  const session = await t.till.session('live');
  for (const [asked, wanted, heading] of [
    ['ru-RU', 'ru', 'Как вы хотите оплатить?'],
    ['en-GB', 'en', 'How would you like to pay?'],
    ['fr-FR', 'en', 'How would you like to pay?'],
  ]) {
    const page = await t.page({ language: asked });
    await page.goto(session.url);
    same(await language(page), wanted, `<html lang> for ${asked}`);
    same(await page.locator('h1').innerText(), heading, `the heading for ${asked}`);
  }
});

for (const js of [true, false]) {
  check(`language: by the switch, remembered to the end${js ? '' : ', without JavaScript'}`, async t => {
    const session = await t.till.session('live');
    const page = await t.page({ js });
    await page.goto(session.url);
    same(await language(page), 'en', '<html lang> at first');
    await at(page, 'other-language').click();
    same(await language(page), 'ru', '<html lang> after the switch');
    same(page.url(), session.url, 'the address after the switch');
    same(await at(page, 'amount').innerText(), '4\u00a0990,00\u00a0₽', 'the amount');
    await choose(page, 'card');
    await at(page, 'decision-approve').waitFor();
    same(await language(page), 'ru', '<html lang> of the bank');
    await at(page, 'decision-approve').click();
    await shows(page, 'paid');
    same(await language(page), 'ru', '<html lang> of the result');
    const other = await t.till.session('sandbox');
    await page.goto(other.url);
    same(await language(page), 'ru', '<html lang> of another session');
    await at(page, 'other-language').click();
    same(await language(page), 'en', '<html lang> after switching back');
    await ended(session, 'paid');
  });
}

check('language: the switch does not lose the bank\'s page', async t => {
  const session = await t.till.session('live');
  const page = await t.page();
  await page.goto(session.url);
  await choose(page, 'card');
  await at(page, 'decision-approve').waitFor();
  await at(page, 'other-language').click();
  same(await language(page), 'ru', '<html lang> after the switch');
  if (await at(page, 'continue-to-bank').count()) await at(page, 'continue-to-bank').click();
  await at(page, 'decision-approve').click();
  await shows(page, 'paid');
});

check('an unknown session is a 404 page, in both languages', async t => {
  t.allow(/status of 404/);
  for (const [asked, heading] of [['en-GB', 'We can’t find this payment'], ['ru-RU', 'Платёж не найден']]) {
    const page = await t.page({ language: asked });
    for (const path of ['/session/', '/sandbox/session/']) {
      for (const id of ['01890a5d-ac96-774b-bcce-b302099a8057', 'nonsense']) {
        const answer = await page.goto(t.till.url + path + id);
        same(answer.status(), 404, `the status of ${path}${id}`);
        same(await page.locator('h1').innerText(), heading, 'the heading');
      }
    }
  }
});

check('a session of one environment is unknown in the other', async t => {
  t.allow(/status of 404/);
  const page = await t.page();
  const [live, sandbox] = [await t.till.session('live'), await t.till.session('sandbox')];
  same((await page.goto(live.url.replace('/session/', '/sandbox/session/'))).status(), 404, 'live as sandbox');
  same((await page.goto(sandbox.url.replace('/sandbox/', '/'))).status(), 404, 'sandbox as live');
});

check('sandbox off: its pages say so, also open ones, and cannot pay', async t => {
  t.allow(/status of 403/);
  const vendor = await t.till.newVendor('Switched');
  const session = await t.till.session('sandbox', {}, vendor);
  const open = await t.page({ js: false });
  await open.goto(session.url);
  await t.till.till('vendor', 'sandbox', 'off', vendor.vendor_id);
  const page = await t.page();
  await until('the page says so', async () => (await page.goto(session.url)).status() === 403, 4000);
  same(await page.locator('h1').innerText(), 'Sandbox mode is off', 'the heading');
  same(await page.locator('form').count(), 0, 'forms on the page');
  await at(open, 'submit-outcome').click();
  same(await open.locator('h1').innerText(), 'Sandbox mode is off', 'the heading after a form');
  await t.till.till('vendor', 'sandbox', 'on', vendor.vendor_id, '--asked-by', 'ada', '--why', 'a test');
  await until('it is back', async () => (await page.goto(session.url)).status() === 200, 4000);
  await at(page, 'submit-outcome').click();
  await shows(page, 'paid');
});

check('a checkout under a name of its own: card, SBP and sandbox to the end', async t => {
  const page = await t.page();
  for (const [environment, pay] of [
    ['live', async () => { await choose(page, 'card'); await at(page, 'decision-approve').click(); }],
    ['live', async () => {
      await choose(page, 'sbp');
      await page.goto(await at(page, 'open-app').getAttribute('href'));
      await at(page, 'decision-pay').click();
    }],
    ['sandbox', async () => {
      await at(page, 'outcome-three_ds').check();
      await at(page, 'submit-outcome').click();
      await at(page, 'three-ds-confirm').click();
    }],
  ]) {
    const session = await t.apart.session(environment);
    expect(session.url.startsWith(`${t.apart.checkout}/`), 'the session\'s address', session.url);
    await page.goto(session.url);
    await pay();
    await shows(page, 'paid');
    expect(page.url().startsWith(`${t.apart.checkout}/`), 'the address of the result', page.url());
    await ended(session, 'paid');
    await page.waitForURL(`${t.shop.url}/thanks?session=${session.id}&order=${session.order}`);
  }
});

check('every answer has the headers of a page', async t => {
  const session = await t.till.session('live');
  const answer = await fetch(session.url);
  const headers = Object.fromEntries(answer.headers);
  const policy = headers['content-security-policy'] ?? '';
  for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]) {
    expect(policy.includes(part), `the policy has ${part}`, policy);
  }
  expect(!policy.includes('unsafe'), 'nothing unsafe', policy);
  same([headers['x-content-type-options'], headers['referrer-policy'], headers['cache-control']],
    ['nosniff', 'same-origin', 'no-store'], 'the headers');
});
