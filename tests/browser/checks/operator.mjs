// The operator's console for payments: actions are decided, callbacks are sent again, everything is found by
// search.
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, expect, same, until } from '../harness.mjs';
import { at, kind } from '../trial.mjs';
import { loggedIn, open } from '../panel.mjs';
import { choose } from './live.mjs';
import { languages, locales, look } from '../look.mjs';

const without = js => (js ? '' : ', without JavaScript');

/// An expired crypto session that was underpaid: an action to decide.
const short = async t => {
  const session = await t.hasty.session('live');
  const customer = await t.page();
  await customer.goto(session.url);
  await choose(customer, 'crypto');
  const wallet = await t.page();
  await wallet.goto(await at(customer, 'open-wallet').getAttribute('href'));
  await at(wallet, 'decision-pay_short').click();
  await until('something is to be decided', async () => {
    const open = JSON.parse(await t.hasty.till('action', 'list', '--json'));
    return open.some(({ session_id: id }) => id === session.id);
  }, 50_000);
  return session;
};

/// A session whose callback cannot be delivered.
const untold = async t => {
  const session = await t.hasty.session('sandbox', { callback_url: 'http://127.0.0.1:9/nobody' });
  await t.hasty.call('POST', `/api/sandbox/vendor/checkout-session/${session.id}/simulate`, { outcome: 'paid' },
    session.vendor.tokens.sandbox);
  return until('the callback is given up', async () => {
    const list = JSON.parse(await t.hasty.till('callback', 'list', '--env', 'sandbox', '--state', 'undelivered', '--json'));
    return list.find(({ session_id: id }) => id === session.id);
  });
};

/// Set-ups with an unreachable API, in currencies that no other check uses.
const yookassa = `shop_id = "100500"
secret_key = "test_${'k'.repeat(24)}"
notice_token = "${'n'.repeat(32)}"
methods = ["card"]
currencies = ["AMD"]
api = "http://127.0.0.1:9/v3"
`;
const stripe = `secret_key = "sk_test_k"
publishable_key = "pk_test_k"
webhook_secrets = ["whsec_k"]
currencies = ["NOK"]
api = "http://127.0.0.1:9"
script = "http://127.0.0.1:9/x.js"
`;

const setUp = async (service, name, document) => {
  const file = join(tmpdir(), `till-${name}-${process.pid}.toml`);
  await writeFile(file, document);
  await service.till('provider', 'set', name, '--file', file);
};

/// Sets both up, once for all checks: they run at the same time.
let both;
const setBothUp = service => both ??= (async () => {
  await setUp(service, 'stripe', stripe);
  await setUp(service, 'yookassa', yookassa);
})();

check('operator: a provider is set up, tested, moved and switched, with and without JavaScript', async t => {
  t.allow(/status of 422/);
  await setBothUp(t.hasty);
  for (const js of [true, false]) {
    const { page } = await loggedIn(t, 'operator', { service: t.hasty, js });
    await open(page, t.hasty, '/operator/providers/yookassa/edit');
    same(await at(page, 'secret_key').inputValue(), '', 'a secret is not shown');
    await at(page, 'shop_id').fill('shop');
    await at(page, 'secret_key').fill('test_anotherkey0123456789');
    await at(page, 'save').click();
    await page.locator('#shop_id-error').waitFor();
    same(await at(page, 'shop_id').inputValue(), 'shop', 'what was typed');
    same(await at(page, 'secret_key').inputValue(), '', 'a secret is not repeated');
    expect(!(await page.content()).includes('anotherkey'), 'a secret is not in the page');
    await at(page, 'shop_id').fill('100500');
    await at(page, 'test').click();
    same(await at(page, 'check').getAttribute('data-state'), 'unreachable', 'no answer');
    await at(page, 'save').click();
    same(await kind(page), 'service', 'the page');
    await open(page, t.hasty, '/operator/providers/yookassa/edit');
    await at(page, 'as-document').click();
    expect((await at(page, 'document').inputValue()).includes('"<stored:1 …6789>"'), 'a placeholder for a secret');
    await at(page, 'document').fill('shop_id = "shop"');
    await at(page, 'save').click();
    await page.locator('#document-error').waitFor();
    same((await at(page, 'document').inputValue()).trim(), 'shop_id = "shop"', 'what was typed');
    await at(page, 'document').fill(yookassa);
    await at(page, 'test').click();
    same(await at(page, 'check').getAttribute('data-state'), 'unreachable', 'no answer');
    await at(page, 'save').click();
    same(await kind(page), 'service', 'the page');
    expect((await at(page, 'notices').innerText()).includes('/notices/yookassa/'), 'where notices go');
    await at(page, 'test-running').click();
    same(await at(page, 'check').getAttribute('data-state'), 'unreachable', 'no answer');
    await at(page, 'switch-off').click();
    await at(page, 'switch-on').click();
    await open(page, t.hasty, '/operator/providers');
    const places = async () => page.locator('tr[data-testid^="provider-live"]').evaluateAll(rows => rows.map(row => row.dataset.testid.slice(14)));
    const before = await places();
    const last = before.indexOf('stripe') > before.indexOf('yookassa') ? 'stripe' : 'yookassa';
    await at(page, `up-${last}`).click();
    same((await places()).indexOf(last), before.indexOf(last) - 1, 'its place');
  }
}, { seconds: 90 });

for (const js of [true, false]) {
  check(`operator: money that came short is decided about once${without(js)}`, async t => {
    t.allow(/status of 409/);
    const session = await short(t);
    const { page } = await loggedIn(t, 'operator', { service: t.hasty, js });
    await at(page, 'nav-actions').click();
    same(await kind(page), 'actions', 'the page');
    const card = page.locator('article', { hasText: session.id });
    // It was still confirming at the deadline, and an amount that is too little does not hold the session
    // open.
    same(await card.getAttribute('data-what'), 'late', 'what happened');
    await card.getByTestId('assign-me').click();
    same(await kind(page), 'action', 'the page of the action');
    same(await at(page, 'notice').getAttribute('data-notice'), 'saved', 'it is assigned');
    await at(page, 'text').fill('Asked the customer.');
    await at(page, 'add-note').click();
    same((await at(page, 'person-note').innerText()).split('\n')[0], 'Asked the customer.', 'the note');
    await open(page, t.hasty, '/operator/actions?assignee=mine');
    await card.getByTestId('refund').click();
    expect((await page.locator('main').innerText()).includes('change it later'), 'it says what will happen');
    const question = page.url();
    await at(page, 'confirm').click();
    same(await at(page, 'notice').getAttribute('data-notice'), 'decided', 'the notice');
    same(await page.locator('article', { hasText: session.id }).count(), 0, 'it is no longer open');
    await page.goto(question);
    await at(page, 'decided-before').waitFor();
    await open(page, t.hasty, '/operator/actions?show=all');
    await page.locator('article', { hasText: session.id }).getByTestId('decided').waitFor();
  }, { seconds: 120 });

  check(`operator: callbacks are sent again, one or all of a vendor${without(js)}`, async t => {
    t.allow(/status of 422/);
    const event = await untold(t);
    const { page } = await loggedIn(t, 'operator', { service: t.hasty, js });
    await open(page, t.hasty, '/operator/callbacks?env=sandbox&state=undelivered');
    await page.getByTestId(`event-${event.event_id}`).getByTestId('resend').click();
    same(await at(page, 'notice').getAttribute('data-notice'), 'resent', 'the notice');
    await until('it was tried once more', async () => {
      await page.reload();
      return await page.locator('tbody tr').count() > event.attempts;
    });
    await until('it is given up again', async () => {
      await page.reload();
      return await at(page, 'state').getAttribute('data-state') === 'undelivered';
    });
    await open(page, t.hasty, `/operator/callbacks?env=sandbox&vendor=${event.vendor_id}`);
    await at(page, 'resend-all').click();
    const count = Number(await at(page, 'found').getAttribute('data-count'));
    expect(count >= 1, 'how many are undelivered', count);
    await at(page, 'confirm').click();
    same(await at(page, 'notice').getAttribute('data-notice'), 'resent-all', 'the notice');
    await open(page, t.hasty, '/operator/callbacks/resend?env=sandbox&vendor=nobody&since=soon');
    same(await page.locator('#problem li').count(), 2, 'what is wrong is said');
    same(await at(page, 'vendor').inputValue(), 'nobody', 'what was typed');
  });

  check(`operator: a session is found by its order, its id and its reference${without(js)}`, async t => {
    const session = await t.hasty.session('live');
    const customer = await t.page();
    await customer.goto(session.url);
    await choose(customer, 'card');
    await at(customer, 'decision-approve').click();
    await until('it is paid', async () => await t.hasty.status(session) === 'paid');
    const { page } = await loggedIn(t, 'operator', { service: t.hasty, js });
    const find = async q => {
      await at(page, 'nav-search').click();
      await at(page, 'q').fill(q);
      await at(page, 'search').click();
    };
    for (const q of [session.order, session.id]) {
      await find(q);
      same(await kind(page), 'case', `what ${q} leads to`);
      same(await at(page, 'status').getAttribute('data-status'), 'paid', 'its status');
    }
    const reference = await page.locator('section', { hasText: 'Payment attempts' }).locator('td.mono').first().innerText();
    await find(reference);
    same(new URL(page.url()).pathname, `/operator/sessions/live/${session.id}`, 'what the reference leads to');
    await find('<b>nothing</b>');
    await at(page, 'empty').waitFor();
    same(await page.locator('main b').count(), 0, 'no element of what was typed');
  });
}

for (const language of languages) {
  check(`operator: looks of the pages that watch, ${language}`, async t => {
    t.allow(/status of 422/);
    const session = await short(t);
    const event = await untold(t);
    const { page } = await loggedIn(t, 'operator', { service: t.hasty, language: locales[language] });
    await setBothUp(t.hasty);
    const [action] = JSON.parse(await t.hasty.till('action', 'list', '--json'));
    for (const [name, path] of [
      ['actions', '/operator/actions'],
      ['actions-empty', '/operator/actions?env=sandbox'],
      ['actions-filtered', '/operator/actions?show=all&assignee=unassigned&kind=late'],
      ['action', `/operator/actions/live/${action.action_id}`],
      ['decide', `/operator/actions/live/${action.action_id}/refund`],
      ['deliveries', '/operator/callbacks?env=sandbox'],
      ['deliveries-wrong', '/operator/callbacks?vendor=nobody&since=soon'],
      ['delivery', `/operator/callbacks/sandbox/${event.event_id}`],
      ['resend-all', `/operator/callbacks/resend?env=sandbox&vendor=${event.vendor_id}`],
      ['case', `/operator/sessions/live/${session.id}`],
      ['case-sandbox', `/operator/sessions/sandbox/${event.session_id}`],
      ['search', '/operator/search'],
      ['search-found', `/operator/search?q=${event.event_id}`],
      ['providers', '/operator/providers'],
      ['activity', async () => {
        await at(page, 'activity-live-simulator').click();
        await at(page, 'as-table').click();
      }],
      ['activity-empty', '/operator/activity/live/stripe'],
      ['provider-evm', '/operator/providers/evm'],
      ['provider-yookassa', '/operator/providers/yookassa'],
      ['provider-stripe', '/operator/providers/stripe'],
      ['provider-tested', async () => { await at(page, 'test-running').click(); await at(page, 'checks').waitFor(); }],
      ['provider-form-stripe', '/operator/providers/stripe/edit'],
      ['provider-form-evm', '/operator/providers/evm/edit'],
      ['provider-form', '/operator/providers/yookassa/edit'],
      ['provider-form-wrong', async () => {
        await at(page, 'shop_id').fill('shop');
        await at(page, 'save').click();
        await page.locator('#shop_id-error').waitFor();
      }],
      ['provider-edit', '/operator/providers/yookassa/document'],
      ['provider-edit-wrong', async () => {
        await at(page, 'document').fill('shop_id = "shop"\nsecret_key = ""');
        await at(page, 'save').click();
        await page.locator('#document-error').waitFor();
      }],
      ['system', '/operator/system'],
      ['hold', '/operator/hold'],
      ['personal-data', '/operator/personal-data'],
    ]) {
      await (typeof path === 'function' ? path() : open(page, t.hasty, path));
      await look(page, `operator-${name}`, language);
    }
  }, { seconds: 180 });
}
