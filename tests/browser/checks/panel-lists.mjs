// A vendor's payments in the panel: search, one session, resending its callback, paging, filters, CSV export.
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { check, expect, same, until } from '../harness.mjs';
import { at, kind, text } from '../trial.mjs';
import { loggedIn, open } from '../panel.mjs';
import { languages, locales, look } from '../look.mjs';

const SANDBOX = '/api/sandbox/vendor/checkout-session';
const without = js => (js ? '' : ', without JavaScript');

const end = (service, session, outcome, more = {}) => service.call(
  'POST', `${SANDBOX}/${session.id}/simulate`, { outcome, ...more }, session.vendor.tokens.sandbox,
);

/// The orders that a list shows.
const listed = page => page.locator('[data-testid=rows] td.id a').allInnerTexts();

/// A vendor's server that answers 500 to the first callbacks, as many as given.
class Grumpy {
  received = [];

  static async open(refusals) {
    const shop = new Grumpy();
    shop.server = http.createServer((request, response) => {
      const parts = [];
      request.on('data', part => parts.push(part)).on('end', () => {
        shop.received.push(Buffer.concat(parts).toString());
        response.writeHead(shop.received.length > refusals ? 204 : 500).end();
      });
    });
    await new Promise(done => shop.server.listen(0, '127.0.0.1', done));
    shop.url = `http://127.0.0.1:${shop.server.address().port}/callbacks`;
    return shop;
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

for (const js of [true, false]) {
  check(`panel lists: a session is found by its order, read, and its callback sent again${without(js)}`, async t => {
    const service = t.desk, vendor = await service.newVendor('Halden Press');
    const shop = await Grumpy.open(1);
    try {
      const session = await service.session('sandbox', { order_id: 'HP-20418', callback_url: shop.url }, vendor);
      await end(service, session, 'paid');
      await until('the shop has refused', () => shop.received.length);
      const { page } = await loggedIn(t, 'vendor_admin', { vendor, js });
      await open(page, service, '/panel/sessions');
      same(await listed(page), ['HP-20418'], 'the list');
      await at(page, 'q').fill('HP-20418');
      await at(page, 'search').click();
      same(await kind(page), 'session', 'where one hit leads');
      same(await at(page, 'order-id').innerText(), 'HP-20418', 'the order');
      const steps = async () => (await at(page, 'timeline').innerText()).replace(/\s+/g, ' ');
      await until('the refusal is in the timeline', async () => {
        await page.reload();
        return (await steps()).includes('Callback failed: 500');
      });
      expect((await steps()).indexOf('Created') < (await steps()).indexOf('Paid'), 'the order of things', await steps());
      await at(page, 'next-try').waitFor();
      await at(page, 'send-now').click();
      same(await at(page, 'notice').getAttribute('data-notice'), 'sent-now', 'the notice');
      await until('it came again', () => shop.received.length === 2);
      await until('it is delivered', async () => {
        await page.reload();
        return await at(page, 'delivery').getAttribute('data-state') === 'delivered';
      });
      await at(page, 'send-again').click();
      same(await at(page, 'notice').getAttribute('data-notice'), 'resent', 'the notice');
      await until('and once more', () => shop.received.length === 3);
      same(new Set(shop.received).size, 1, 'different bytes');
      await at(page, 'show-body').click();
      same(await at(page, 'callback-body').innerText(), shop.received[0], 'the bytes that are shown');
    } finally {
      shop.close();
    }
  });

  check(`panel lists: paging deep, narrowing, and a file of what is listed${without(js)}`, async t => {
    const service = t.desk, vendor = await service.newVendor('Halden Press');
    const sessions = [];
    for (let number = 0; number < 60; number += 1) {
      sessions.push(await service.session('sandbox', { order_id: `A-${number}` }, vendor));
    }
    await service.session('live', { order_id: 'LIVE-1' }, vendor);
    await end(service, sessions[3], 'paid');
    await end(service, sessions[4], 'failed', { failure_reason: 'insufficient_funds' });
    const { page } = await loggedIn(t, 'vendor_viewer', { vendor, js });
    await open(page, service, '/panel/sessions');
    const seen = await listed(page);
    while (await at(page, 'older').count()) {
      await at(page, 'older').click();
      seen.push(...await listed(page));
    }
    same(seen, sessions.map(session => session.order).reverse(), 'all of them, newest first');
    await at(page, 'newer').click();
    same((await listed(page)).length, 25, 'a page back');
    await at(page, 'status-failed').click();
    same(await listed(page), ['A-4'], 'what failed');
    expect((await text(at(page, 'rows'))).includes('Insufficient funds'), 'why it failed');
    await at(page, 'from').fill('2020-01-01');
    await at(page, 'to').fill('2020-01-02');
    await at(page, 'search').click();
    await at(page, 'empty').waitFor();
    await at(page, 'clear').click();
    same((await listed(page)).length, 25, 'everything again');
    await at(page, 'status-paid').click();
    const downloading = page.waitForEvent('download');
    await at(page, 'export').click();
    const file = await downloading;
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(/^sandbox-sessions-\d{4}-\d\d-\d\d\.csv$/.test(file.suggestedFilename()), 'its name', file.suggestedFilename());
    expect(lines[0].startsWith('\ufeffsession_id,order_id,status'), 'its head', lines[0]);
    same(lines.length, 2, 'its lines');
    expect(lines[1].startsWith(`${sessions[3].id},A-3,paid`), 'its row', lines[1]);
    if (js) await page.getByTestId('progress').getByText('Rows so far: 1').waitFor();
    for (const path of ['/panel', '/panel/sessions', '/panel/transactions', '/panel/callbacks']) {
      await open(page, service, path);
      expect(!(await page.content()).includes('LIVE-1'), `${path} shows the sandbox only`);
    }
  }, { seconds: 90 });
}

check('panel lists: new rows are announced, and time runs down before the eyes', async t => {
  const service = t.desk, vendor = await service.newVendor('Halden Press');
  const first = await service.session('sandbox', { order_id: 'A-1' }, vendor);
  const { page } = await loggedIn(t, 'vendor_admin', { vendor });
  await open(page, service, '/panel/sessions');
  const left = await page.locator('[data-left]').innerText();
  await until('the time runs', async () => await page.locator('[data-left]').innerText() !== left);
  await service.session('sandbox', { order_id: 'A-2' }, vendor);
  await at(page, 'news').filter({ hasText: '1 new session' }).waitFor();
  same(await listed(page), ['A-1'], 'what one reads stays');
  await at(page, 'news').click();
  same(await listed(page), ['A-2', 'A-1'], 'after "Show"');
  await open(page, service, `/panel/sessions/${first.id}`);
  await at(page, 'time-left').waitFor();
});

check('panel lists: news of a long list leave what one reads where it is, also of sessions that end later', async t => {
  const service = t.desk, vendor = await service.newVendor('Halden Press');
  const sessions = [];
  for (let number = 0; number < 30; number += 1) {
    sessions.push(await service.session('sandbox', { order_id: `A-${number}` }, vendor));
  }
  const { page } = await loggedIn(t, 'vendor_viewer', { vendor, size: { width: 390, height: 500 } });
  // The position of a row on the screen, the scroll position, and the focused element.
  const place = () => page.evaluate(() => {
    const row = document.querySelector('[data-testid=rows] tbody tr:nth-child(18)');
    return [row.querySelector('a').textContent, row.getBoundingClientRect().top, scrollY, document.activeElement.dataset.testid];
  });
  const reads = async (path, word, happens) => {
    await open(page, service, path);
    await page.locator('[data-testid=rows] tbody tr:nth-child(18) a').focus();
    await page.locator('[data-testid=rows] tbody tr:nth-child(18)').scrollIntoViewIfNeeded();
    await page.evaluate(() => scrollBy(0, 40));
    const before = await place();
    expect(before[2] > 0, 'the page is scrolled', before);
    await happens();
    await at(page, 'news').filter({ hasText: word }).waitFor({ state: 'attached' });
    await page.locator('[data-testid=news]:not([hidden])').waitFor({ state: 'attached' });
    same(await place(), before, `what one reads stays: ${path}`);
  };
  await reads('/panel/sessions', '1 new session', () => service.session('sandbox', { order_id: 'B-1' }, vendor));
  await at(page, 'news').click();
  same((await listed(page))[0], 'B-1', 'after "Show"');
  for (const session of sessions.slice(5)) await end(service, session, 'paid');
  await reads('/panel/sessions?status=paid', '1 new session', () => end(service, sessions[0], 'paid'));
  // The next poll counts the same one.
  const asked = page.waitForResponse(answer => answer.url().includes('/panel/sessions/news'));
  await asked;
  expect((await at(page, 'news').innerText()).startsWith('1 new session'), 'counted once', await at(page, 'news').innerText());
}, { seconds: 90 });

for (const language of languages) {
  check(`panel lists: looks, ${language}`, async t => {
    t.allow(/status of (404|422)/);
    const service = t.desk, vendor = await service.newVendor('Halden Press');
    const fresh = await service.newVendor('Nordlys');
    const long = { order_id: `HP-${'x'.repeat(80)}`, product_name: 'Atlas of Northern Light, second printing '.repeat(3) };
    const sessions = [];
    for (const [fields, outcome] of [[{}, 'paid'], [long, 'failed'], [{ callback_url: null }, 'expired'], [{}, null], [{}, 'paid']]) {
      const session = await service.session('sandbox', fields, vendor);
      if (outcome) await end(service, session, outcome);
      sessions.push(session);
    }
    const { page } = await loggedIn(t, 'vendor_admin', { vendor, language: locales[language] });
    for (const [name, path] of [
      ['overview', '/panel?days=7'],
      ['overview-long', '/panel?days=90'],
      ['sessions', '/panel/sessions'],
      ['sessions-none', '/panel/sessions?q=nobody'],
      ['sessions-wrong', '/panel/sessions?from=2026-11-15&to=2026-11-14'],
      ['transactions', '/panel/transactions'],
      ['callbacks', '/panel/callbacks'],
      ['resend-all', '/panel/callbacks/resend'],
      ['session-paid', `/panel/sessions/${sessions[0].id}`],
      ['session-failed', `/panel/sessions/${sessions[1].id}`],
      ['session-pending', `/panel/sessions/${sessions[3].id}`],
    ]) {
      await open(page, service, path);
      for (const fold of await page.locator('details.fold > summary').all()) await fold.click();
      await look(page, `panel-${name}`, language);
    }
    const { page: empty } = await loggedIn(t, 'vendor_admin', { vendor: fresh, language: locales[language] });
    for (const [name, path] of [['overview-empty', '/panel'], ['sessions-empty', '/panel/sessions'],
      ['transactions-none', '/panel/transactions'], ['callbacks-none', '/panel/callbacks']]) {
      await open(empty, service, path);
      await look(empty, `panel-${name}`, language);
    }
    await service.session('live', {}, fresh);
    await service.till('vendor', 'sandbox', 'off', fresh.vendor_id);
    await until('the sandbox is off', async () => {
      await open(empty, service, '/panel');
      return !await at(empty, 'sandbox-banner').count();
    });
    await look(empty, 'panel-overview-live', language);
  }, { seconds: 120 });
}
