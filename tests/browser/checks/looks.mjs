// Every page of the checkout: its looks in both languages, and the cost of its first view.
import { check, expect, same } from '../harness.mjs';
import { at, phone, shows } from '../trial.mjs';
import { look, locales } from '../look.mjs';
import { choose } from './live.mjs';
import { alsoOpen, stage, stages } from '../stages.mjs';

const MOST_REQUESTS = 5;
const MOST_BYTES = 20_000;
export const figures = [];

/// Loads a page with an empty cache and counts requests and bytes.
const load = async page => {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  const requests = new Map();
  let bytes = 0;
  // Later fetches of the script are updates, not part of the first view.
  cdp.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    if (!request.url.startsWith('data:') && type !== 'Fetch') requests.set(requestId, request.url);
  });
  cdp.on('Network.loadingFinished', event => {
    if (requests.has(event.requestId)) bytes += event.encodedDataLength;
  });
  // An event stream does not finish; the bytes it has sent so far count.
  cdp.on('Network.dataReceived', event => {
    if (/\/events$/.test(requests.get(event.requestId) ?? '')) bytes += event.encodedDataLength;
  });
  await page.reload({ waitUntil: 'load' });
  await page.waitForTimeout(700);
  const measured = await page.evaluate(() => ({
    shift: window.shifts,
    blocking: performance.getEntriesByType('resource').filter(entry =>
      entry.initiatorType === 'script' && entry.renderBlockingStatus === 'blocking').map(entry => entry.name),
    inline: document.querySelectorAll('script:not([src]), style, [style]').length,
  }));
  return { requests: [...requests.values()], bytes, ...measured };
};

const watchShifts = page => page.context().addInitScript(() => {
  window.shifts = 0;
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
});

/// Loads the page again and compares its cost with the budget.
const weigh = async (page, name) => {
  await watchShifts(page);
  const { requests, bytes, shift, blocking, inline } = await load(page);
  figures.push([name, requests.length, bytes]);
  expect(requests.length <= MOST_REQUESTS, `at most ${MOST_REQUESTS} requests`, requests);
  expect(bytes > 1000 && bytes <= MOST_BYTES, `at most ${MOST_BYTES} bytes`, bytes);
  same(blocking, [], 'scripts that block the page');
  same(inline, 0, 'inline scripts and styles');
  same(shift, 0, 'shifts of the layout');
};

for (const wanted of stages) {
  check(`looks: ${wanted.name}`, async t => {
    const page = await stage(t, wanted);
    const russian = { language: locales.ru };
    // An answer to a form has no URL of its own. Any other page is opened at once for a second customer: some
    // pages change with time.
    const other = wanted.isAnswer ? await stage(t, wanted, russian) : await alsoOpen(t, page, russian);
    if (!wanted.isAnswer) await weigh(page, wanted.name);
    await look(page, wanted.name, 'en');
    await look(other, wanted.name, 'ru');
  });
}

check('budget: no shift from the choice to the result, by clicks and by news, on a phone', async t => {
  const page = await t.page({ size: phone });
  await watchShifts(page);
  const session = await t.till.session('live', { price: '54.28', currency: 'USD', return_url: undefined });
  await page.goto(session.url);
  const none = async what => same(await page.evaluate(() => window.shifts), 0, `shifts of the layout: ${what}`);
  await at(page, 'method-crypto').click();
  await none('opening a method');
  await choose(page, 'crypto');
  await page.locator('[data-copy]').first().click();
  await page.waitForTimeout(2500);
  await none('copying and the clock');
  const wallet = await t.page();
  await wallet.goto(await at(page, 'open-wallet').getAttribute('href'));
  await at(wallet, 'decision-pay_exact').click();
  await at(page, 'confirmations').waitFor();
  await shows(page, 'paid');
  await page.waitForTimeout(500);
  await none('news');
});
