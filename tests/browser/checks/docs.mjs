// The documentation: no axe violations, nothing wider than the screen, few requests, a screenshot of each
// page.
import { check, expect, same } from '../harness.mjs';
import { phone } from '../trial.mjs';
import { look } from '../look.mjs';

const MOST_REQUESTS = 3;
const pages = [
  '/docs', '/docs/integration', '/docs/callbacks', '/docs/api', '/docs/install', '/docs/operations', '/docs/metrics',
  '/docs/settings',
  '/docs/security', '/docs/reliability', '/docs/performance', '/docs/providers/stripe', '/docs/providers/yookassa',
  '/docs/providers/tbank', '/docs/providers/evm',
];
const searches = { results: 'refund callback', nothing: 'zzzzqqqq', empty: '' };

for (const path of pages) {
  check(`docs: looks of ${path}`, async t => {
    const page = await t.page();
    await page.goto(t.till.url + path);
    same(await page.locator('.beside [aria-current=page]').getAttribute('href'), path, 'the page that the contents mark');
    await look(page, path.slice(1).replaceAll('/', '-'), 'en', { only: true, tall: true });
  }, { seconds: 120 });

  check(`docs: what ${path} loads`, async t => {
    const page = await t.page();
    const requests = [];
    page.on('request', request => request.url().startsWith('data:') || requests.push(request.url()));
    await page.goto(t.till.url + path, { waitUntil: 'load' });
    expect(requests.length <= MOST_REQUESTS, `at most ${MOST_REQUESTS} requests`, requests);
  });
}

for (const [name, words] of Object.entries(searches)) {
  check(`docs: looks of a search, ${name}`, async t => {
    const page = await t.page();
    await page.goto(`${t.till.url}/docs/search?q=${encodeURIComponent(words)}`);
    await look(page, `docs-search-${name}`, 'en', { only: true });
  });
}

check('docs: the navigation has the pages that are looked at', async t => {
  const page = await t.page();
  await page.goto(`${t.till.url}/docs/search`);
  const links = await page.locator('.beside nav a[href^="/docs"]').evaluateAll(all => all.map(link => link.getAttribute('href')));
  same(links.sort(), [...pages].sort(), 'the pages in the navigation');
});

check('docs: on a phone a page starts with its text, and the contents are a tap away', async t => {
  const page = await t.page({ js: false, size: phone });
  for (const path of pages) {
    await page.goto(t.till.url + path);
    const top = await page.locator('main h1').evaluate(heading => heading.getBoundingClientRect().top);
    expect(top < phone.height / 4, `the heading of ${path} is near the top`, top);
    expect(await page.locator('main p, main .card').first().evaluate(text => text.getBoundingClientRect().top < innerHeight / 2), `text of ${path} is in sight`);
  }
  await page.locator('.menu summary').click();
  await page.locator('.menu').getByRole('link', { name: 'Security' }).click();
  same(new URL(page.url()).pathname, '/docs/security', 'where the contents lead');
});

check('docs: the search works without JavaScript', async t => {
  const page = await t.page({ js: false });
  await page.goto(`${t.till.url}/docs`);
  await page.locator('.beside').getByRole('searchbox').fill('gap limit');
  await page.keyboard.press('Enter');
  const hit = page.locator('.hits h2 a').first();
  same(await hit.innerText(), 'Sweeping, and the gap limit', 'the first result');
  expect((await page.locator('.hits li').first().locator('mark').allInnerTexts()).includes('gap'), 'the match is marked');
  await hit.click();
  expect(await page.locator('#sweeping-and-the-gap-limit').evaluate(section => {
    const { top } = section.getBoundingClientRect();
    return top >= 0 && top < innerHeight;
  }), 'the section is in sight');
});

check('docs: the language of samples is chosen without JavaScript, and kept', async t => {
  const page = await t.page({ js: false });
  await page.goto(`${t.till.url}/docs/callbacks`);
  const chosen = page.locator('.langs [aria-current]').first();
  same(await chosen.innerText(), 'Python', 'the first language');
  await page.locator('.langs').first().getByRole('link', { name: 'PHP' }).click();
  same(await chosen.innerText(), 'PHP', 'the chosen language');
  expect(await chosen.evaluate(link => {
    const { top } = link.getBoundingClientRect();
    return top >= 0 && top < innerHeight;
  }), 'the sample is in sight');
  await page.locator('.beside').getByRole('link', { name: 'Integration guide' }).click();
  same(await chosen.innerText(), 'PHP', 'the language on another page');
  await page.locator('.beside').getByRole('link', { name: 'API reference' }).click();
  same(await chosen.innerText(), 'PHP', 'the language of the reference');
});

check('docs: the guide works without JavaScript, and its examples have the address of this service', async t => {
  const page = await t.page({ js: false, size: phone });
  await page.goto(`${t.till.url}/docs`);
  await page.locator('.menu summary').click();
  await page.locator('.menu').getByRole('link', { name: 'Integration guide' }).click();
  await page.locator('.menu summary').click();
  await page.locator('.menu').getByRole('link', { name: 'PHP' }).click();
  same(new URL(page.url()).hash, '#php', 'where the contents lead');
  expect(await page.locator('h3#php').evaluate(heading => {
    const { top } = heading.getBoundingClientRect();
    return top >= 0 && top < innerHeight;
  }), 'the section is in sight');
  same(await page.locator('[data-copy]:visible').count(), 0, 'buttons that would do nothing');
  const listing = await page.locator('#start pre').innerText();
  expect(listing.includes(`TILL_API=${t.till.url}/api/sandbox/vendor\n`), 'the address of this service', listing);
});

check('docs: a listing of the guide is copied as it is', async t => {
  const page = await t.page({ context: { permissions: ['clipboard-read', 'clipboard-write'] } });
  await page.goto(`${t.till.url}/docs/integration?code=python`);
  const figure = page.locator('figure', { hasText: 'shop in one file' });
  await figure.locator('[data-copy]').click();
  await figure.getByText('Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  same(copied, await figure.locator('pre').evaluate(pre => pre.textContent), 'what was copied');
  expect(copied.startsWith('"""A shop in one file'), 'the Python program', copied.slice(0, 60));
});
