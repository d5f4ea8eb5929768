// The documentation: no axe violations, nothing wider than the screen, few requests, a screenshot of each
// page.
import { check, expect, same } from '../harness.mjs';
import { phone } from '../trial.mjs';
import { look } from '../look.mjs';

const MOST_REQUESTS = 3;
const pages = ['/docs', '/docs/integration', '/docs/callbacks'];

for (const path of pages) {
  check(`docs: looks of ${path}`, async t => {
    const page = await t.page();
    await page.goto(t.till.url + path);
    same(await page.locator('nav [aria-current=page]').getAttribute('href'), path, 'the page that the contents mark');
    await look(page, path.slice(1).replace('/', '-'), 'en', { only: true });
  }, { seconds: 120 });

  check(`docs: what ${path} loads`, async t => {
    const page = await t.page();
    const requests = [];
    page.on('request', request => request.url().startsWith('data:') || requests.push(request.url()));
    await page.goto(t.till.url + path, { waitUntil: 'load' });
    expect(requests.length <= MOST_REQUESTS, `at most ${MOST_REQUESTS} requests`, requests);
  });
}

check('docs: the guide works without JavaScript, and its examples have the address of this service', async t => {
  const page = await t.page({ js: false, size: phone });
  await page.goto(`${t.till.url}/docs`);
  await page.locator('nav').getByRole('link', { name: 'Integration guide' }).click();
  await page.locator('nav').getByRole('link', { name: 'PHP' }).click();
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
  await page.goto(`${t.till.url}/docs/integration`);
  const figure = page.locator('figure', { hasText: 'shop in one file' }).nth(1);
  await figure.locator('[data-copy]').click();
  await figure.getByText('Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  same(copied, await figure.locator('pre').evaluate(pre => pre.textContent), 'what was copied');
  expect(copied.startsWith('"""A shop in one file'), 'the Python program', copied.slice(0, 60));
});
