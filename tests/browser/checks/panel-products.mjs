// A vendor's catalog, team and audit log: an import with a bad row, a product sold with the call that its
// page shows, an invited colleague; and the looks of all these pages.
import { check, expect, same } from '../harness.mjs';
import { at, kind } from '../trial.mjs';
import { loggedIn, open, person, source } from '../panel.mjs';
import { languages, locales } from '../look.mjs';
import { tour } from './panel-looks.mjs';

const without = js => (js ? '' : ', without JavaScript');

/// A vendor whose sandbox is off.
const liveVendor = async (service, name = 'Halden Press') => {
  const vendor = await service.newVendor(name);
  await service.till('vendor', 'sandbox', 'off', vendor.vendor_id);
  return vendor;
};

const hostile = '"><img src=x onerror=alert(1)>';
const table = ['\ufeffproduct_id;name;price;currency;category_id',
  'ATLAS-2;Atlas of Northern Light;4990,00;RUB;books',
  `RAIN;${hostile.replace(/"/g, '')};2350,00;RUB;books`,
  'BAD;Linocut;12,345;RUB;prints',
  ''].join('\r\n');

for (const js of [true, false]) {
  check(`panel: a table with a bad row is imported, a product of it is sold and archived${without(js)}`, async t => {
    t.allow(/status of (409|422)/);
    const service = t.desk, vendor = await liveVendor(service);
    const { page } = await loggedIn(t, 'vendor_admin', { vendor, js });
    await at(page, 'nav-products').click();
    await at(page, 'empty').waitFor();
    await at(page, 'categories').click();
    await at(page, 'new-category').click();
    await at(page, 'name').fill('Books');
    await at(page, 'category_id').fill('books');
    await at(page, 'save').click();
    same(await at(page, 'category-row').count(), 1, 'categories');

    await open(page, service, '/panel/products/import');
    await at(page, 'file').setInputFiles({ name: 'products.csv', mimeType: 'text/csv', buffer: Buffer.from(table) });
    await at(page, 'check').click();
    same(await kind(page), 'preview', 'what comes first');
    const counts = [];
    for (const word of ['added', 'changed', 'same', 'bad']) counts.push(await at(page, `count-${word}`).innerText());
    same(counts, ['2', '0', '0', '1'], 'what the table would do');
    const bad = await at(page, 'bad-row').allInnerTexts();
    same(bad.map(row => row.split('\t').slice(0, 2).join(' ')), ['4 price', '4 category_id'], 'lines and columns');
    expect((await at(page, 'bad-rows').inputValue()).endsWith('BAD;Linocut;12,345;RUB;prints'), 'the bad row can be copied');
    same(JSON.parse(await service.till('product', 'list', '--vendor', vendor.vendor_id, '--json')).length, 0, 'stored so far');
    await at(page, 'take').click();
    same(await at(page, 'notice').getAttribute('data-notice'), 'imported', 'the notice');
    same(await at(page, 'product-row').count(), 2, 'products');
    same(await page.locator('main img').count(), 0, 'a name is only a name');

    await page.getByRole('link', { name: 'Atlas of Northern Light' }).click();
    const snippet = await at(page, 'snippet').innerText();
    expect(snippet.includes(`'${service.url}/api/product/session'`), 'where it is called', snippet);
    expect(snippet.includes('Bearer YOUR_TOKEN'), 'a place for the token', snippet);
    const body = JSON.parse(snippet.match(/-d '(.*)'$/)[1]);
    const sold = await service.call('POST', '/api/product/session', body, vendor.tokens.live);
    const customer = await t.page();
    await customer.goto(sold.session_url);
    await customer.getByText('Atlas of Northern Light').first().waitFor();

    await at(page, 'archive').click();
    await at(page, 'confirm').click();
    await at(page, 'is-archived').waitFor();
    const refused = await service.call('POST', '/api/product/session', { ...body, order_id: '2' }, vendor.tokens.live).catch(error => error.message);
    expect(String(refused).includes('unknown_product'), 'it is off sale', refused);
    await at(page, 'restore').click();
    await service.call('POST', '/api/product/session', { ...body, order_id: '3' }, vendor.tokens.live);
  });

  check(`panel: a colleague is invited, comes in, and is removed${without(js)}`, async t => {
    t.allow(/status of (403|422)/);
    const service = t.desk, vendor = await liveVendor(service);
    const { page } = await loggedIn(t, 'vendor_admin', { vendor, js });
    const email = `bo-${Date.now()}-${js}@shop.example`;
    await at(page, 'nav-team').click();
    await at(page, 'alone').waitFor();
    await at(page, 'invite-member').click();
    await at(page, 'email').fill(email);
    await at(page, 'role-vendor_viewer').check();
    await at(page, 'invite').click();
    const link = await at(page, 'link').innerText();
    await at(page, 'done').click();
    expect(!(await source(page)).includes(link), 'the link is shown once');

    const bo = await t.page({ js });
    await bo.goto(link);
    await at(bo, 'password').fill('a battery of correct horses');
    await at(bo, 'again').fill('a battery of correct horses');
    await at(bo, 'set-password').click();
    await at(bo, 'email').fill(email);
    await at(bo, 'password').fill('a battery of correct horses');
    await at(bo, 'log-in').click();
    await at(bo, 'nav-products').click();
    same(await at(bo, 'new-product').count(), 0, 'what a viewer is offered');
    same(await at(bo, 'nav-team').count(), 0, 'a viewer has no team');
    await open(bo, service, '/panel/team');
    same(await kind(bo), 'refused', 'a viewer is refused');

    await page.getByRole('link', { name: email }).click();
    await at(page, 'remove').click();
    await at(page, 'confirm').click();
    same(await at(page, 'removed').count(), 1, 'removed');
    await open(bo, service, '/panel/products');
    expect(new URL(bo.url()).pathname === '/panel/login', 'they are logged out', bo.url());
    await at(page, 'nav-audit').click();
    expect((await page.locator('[data-act]').first().innerText()).includes(email), 'the log tells it');
  });
}

for (const language of languages) {
  check(`panel: looks of a vendor's catalog, team and log, ${language}`, async t => {
    t.allow(/status of (403|404|409|413|422)/);
    const service = t.desk, vendor = await liveVendor(service);
    const empty = await liveVendor(service, 'Quiet Shop');
    const id = vendor.vendor_id;
    const till = (...words) => service.till(...words, '--vendor', id);
    for (const [category, title] of [['books', 'Books'], ['prints', 'Prints and posters'], ['old', 'Workshops']]) {
      await till('category', 'create', '--name', title, '--id', category);
    }
    await till('category', 'archive', 'old');
    const goods = [
      ['ATLAS-2', 'Atlas of Northern Light, second printing', '4990.00', 'RUB', 'books'],
      ['prd_8c02', 'A Field Guide to Rain', '2350.00', 'RUB', 'books'],
      ['prd_77e4', 'Linocut print No. 7', '12400.00', 'RUB', 'prints'],
      ['poster-a2', 'Letterpress poster, A2', '58.00', 'EUR', 'prints'],
      ['gift', 'Gift card', '3000', 'JPY', ''],
      ['fair', 'Summer print fair ticket', '900.00', 'RUB', ''],
    ];
    for (const [product, title, price, currency, category] of goods) {
      await till('product', 'create', '--name', title, '--price', price, '--currency', currency, '--id', product, ...(category ? ['--category', category] : []));
    }
    await till('product', 'archive', 'fair');
    const { page } = await loggedIn(t, 'vendor_admin', { vendor, language: locales[language] });
    const bo = await person(service, 'vendor_viewer', vendor);
    await tour(page, service, language, [
      ['products', '/panel/products'],
      ['products-archived', '/panel/products?state=archived'],
      ['products-none', '/panel/products?q=nothing'],
      ['product', '/panel/products/item?id=ATLAS-2'],
      ['product-archived', '/panel/products/item?id=fair'],
      ['product-archive', '/panel/products/archive?id=ATLAS-2'],
      ['product-new', '/panel/products/new'],
      ['product-wrong', async page => {
        await page.evaluate(() => { document.querySelector('main form').noValidate = true; });
        await at(page, 'price').fill('1,5');
        await at(page, 'currency').fill('XXX');
        await at(page, 'save').click();
        await at(page, 'problem').waitFor();
      }],
      ['categories', '/panel/categories'],
      ['category', '/panel/categories/item?id=books'],
      ['import', '/panel/products/import'],
      ['import-wrong', async page => {
        await at(page, 'text').fill('name,cost\nAtlas,1');
        await at(page, 'check').click();
        await at(page, 'problem').waitFor();
      }],
      ['import-preview', async page => {
        await at(page, 'text').fill(`${table}gift;Gift card, new;3500;JPY;\r\nprd_8c02;A Field Guide to Rain;2350.00;RUB;books\r\n`);
        await at(page, 'check').click();
        await at(page, 'tally').waitFor();
      }],
      ['team', '/panel/team'],
      ['team-new', '/panel/team/new'],
      ['team-invited', async page => {
        await at(page, 'email').fill(`looks-${Date.now()}-${language}@shop.example`);
        await at(page, 'invite').click();
        await at(page, 'link').waitFor();
      }],
      ['team-member', `/panel/team/${bo.user_id}`],
      ['team-remove', `/panel/team/${bo.user_id}/remove`],
      ['vendor-audit', '/panel/audit'],
    ]);
    const quiet = await loggedIn(t, 'vendor_admin', { vendor: empty, language: locales[language] });
    await tour(quiet.page, service, language, [
      ['products-empty', '/panel/products'], ['categories-empty', '/panel/categories'], ['team-alone', '/panel/team'],
    ]);
    await service.till('vendor', 'sandbox', 'on', empty.vendor_id, '--asked-by', 'the shop', '--why', 'to try it');
    await new Promise(done => setTimeout(done, 1100));
    await tour(quiet.page, service, language, [['no-catalog', '/panel/products']]);
  }, { seconds: 180 });
}
