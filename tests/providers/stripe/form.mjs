// The adapter's script and the fake's form in a real browser: Stripe's names lead to the fake, over TLS, and the page has
// the policy that the checkout gives it. The page itself is played here; the whole service is tested in tests/browser.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), root = join(here, '../../..');
const { chromium } = createRequire(join(root, '.tools/browser/'))('playwright-core');
const element = readFileSync(join(root, 'crates/providers/src/stripe/element.js'));

// As crates/server/src/checkout/answer.rs makes it of the origins that crates/providers/src/stripe/setup.rs names.
const theirs = 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com https://api.stripe.com';
const policy = `default-src 'none'; script-src 'self' ${theirs}; frame-src ${theirs}; style-src 'self'; img-src 'self' data:; `
  + `connect-src 'self' ${theirs}; form-action 'self' https:; base-uri 'none'; frame-ancestors 'none'`;

const folder = mkdtempSync(join(tmpdir(), 'stripe-'));
const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
  '-subj', '/CN=js.stripe.com', '-keyout', key, '-out', certificate], { stdio: 'ignore' });
const fake = spawn('python3', [join(here, 'fake.py'), '--secret-key', 'sk_test_form', '--publishable-key', 'pk_test_form',
  '--tls', certificate, key], { stdio: ['pipe', 'pipe', 'inherit'] });
const ports = JSON.parse((await createInterface(fake.stdout)[Symbol.asyncIterator]().next()).value);

const ask = async (path, form) => {
  const headers = { authorization: 'Bearer sk_test_form', 'stripe-version': '2026-10-28.endive', 'idempotency-key': crypto.randomUUID() };
  const body = form && new URLSearchParams(form);
  return (await fetch(`http://127.0.0.1:${ports.api}${path}`, { method: form ? 'POST' : 'GET', headers, body })).json();
};

// A page as the checkout makes it, of one payment; its check reads what is true.
const pages = new Map();
const server = createServer(async (request, answer) => {
  const { pathname } = new URL(request.url, 'http://x');
  const [, , number, action] = pathname.split('/');
  if (pathname === '/elements/stripe') return answer.writeHead(200, { 'content-type': 'text/javascript' }).end(element);
  const page = pages.get(number);
  if (!page) return answer.writeHead(404).end();
  if (action === 'check') {
    page.checks += 1;
    return answer.writeHead(303, { location: `/session/${number}` }).end();
  }
  const intent = await ask(`/v1/payment_intents/${page.id}`);
  const over = intent.status === 'succeeded' || intent.last_payment_error;
  const inFlight = intent.status === 'requires_action' ? ' data-in-flight' : '';
  const values = JSON.stringify({ publishable_key: 'pk_test_form', client_secret: page.client_secret,
    script: page.script || 'https://js.stripe.com/endive/stripe.js', back: `http://127.0.0.1:${server.address().port}/session/${number}` });
  const place = `<div data-element data-values="${values.replaceAll('"', '&quot;')}"${inFlight} data-testid="element"><p class="wait">loading</p></div>`
    + '<noscript><p class="err">needs JavaScript</p></noscript><script src="/elements/stripe" defer></script>';
  const main = over ? `<h1>${intent.status} ${intent.last_payment_error?.code || ''}</h1>` : place;
  const text = `<!doctype html><html lang="${page.lang}"><title>Pay</title><main>${main}</main></html>`;
  answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }).end(text);
});
await new Promise(done => server.listen(0, '127.0.0.1', done));

const rules = ['js', 'api', 'hooks'].map(name => `MAP ${name}.stripe.com:443 127.0.0.1:${ports.tls}`).join(',');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: [`--host-resolver-rules=${rules}`, '--no-sandbox'] });
let number = 0;

/// Opens the page of a new payment. Whatever the policy blocks is an error.
const open = async (more = {}, context = {}) => {
  const intent = await ask('/v1/payment_intents', { amount: '4990', currency: 'usd', 'allowed_payment_method_types[0]': 'card' });
  pages.set(String(++number), { ...intent, lang: 'en', checks: 0, ...more });
  const tab = await (await browser.newContext({ ignoreHTTPSErrors: true, ...context })).newPage();
  const complaints = [];
  tab.on('console', line => { if (/Content Security Policy|Refused to/.test(line.text())) complaints.push(line.text()); });
  tab.on('pageerror', error => complaints.push(String(error)));
  await tab.goto(`http://127.0.0.1:${server.address().port}/session/${number}`);
  return { tab, complaints, page: pages.get(String(number)), card: tab.frameLocator('[data-testid=fake-card]') };
};
const fill = async (card, digits) => {
  for (const [name, text] of [['number', digits], ['month', '12'], ['year', '34'], ['cvc', '123']]) await card.getByTestId(name).fill(text);
};
const pay = async ({ tab, card }, digits) => {
  await fill(card, digits);
  await tab.getByTestId('element-pay').click();
};
const heading = tab => tab.locator('h1').textContent({ timeout: 15_000 });
const bank = tab => tab.frameLocator('[data-testid=fake-3ds]');

const checks = {
  'a card is paid': async () => {
    const scene = await open();
    await pay(scene, '4242 4242 4242 4242');
    assert.equal((await heading(scene.tab)).trim(), 'succeeded');
    return scene;
  },
  'a refused card leads to what our server says': async () => {
    const scene = await open();
    await pay(scene, '4000000000009995');
    assert.equal((await heading(scene.tab)).trim(), 'requires_payment_method card_declined');
    return scene;
  },
  'the bank asks, and the customer confirms': async () => {
    const scene = await open();
    await pay(scene, '4000002760003184');
    await bank(scene.tab).getByTestId('confirm').click();
    assert.equal((await heading(scene.tab)).trim(), 'succeeded');
    return scene;
  },
  'the bank asks, and the customer refuses': async () => {
    const scene = await open();
    await pay(scene, '4000002760003184');
    await bank(scene.tab).getByTestId('refuse').click();
    assert.equal((await heading(scene.tab)).trim(), 'requires_payment_method payment_intent_authentication_failure');
    return scene;
  },
  'the bank asks again when the page is loaded anew': async () => {
    const scene = await open();
    await pay(scene, '4000002760003184');
    await bank(scene.tab).getByTestId('confirm').waitFor();
    await scene.tab.reload();
    await bank(scene.tab).getByTestId('confirm').click();
    assert.equal((await heading(scene.tab)).trim(), 'succeeded');
    return scene;
  },
  'an empty form says what is missing, and can be sent again': async () => {
    const scene = await open();
    await scene.card.getByTestId('number').waitFor();
    await scene.tab.getByTestId('element-pay').click();
    await scene.card.getByText('incomplete').waitFor();
    assert.equal(scene.page.checks, 0);
    await pay(scene, '4242424242424242');
    assert.equal((await heading(scene.tab)).trim(), 'succeeded');
    return scene;
  },
  'the form speaks the language of the page': async () => {
    const scene = await open({ lang: 'ru' });
    assert.equal(await scene.tab.getByTestId('element-pay').textContent(), 'Оплатить');
    assert.equal(await scene.card.locator('html').getAttribute('lang'), 'ru');
    return scene;
  },
  'a script that cannot be loaded is told': async () => {
    const scene = await open({ script: 'https://js.stripe.com/endive/missing.js' });
    assert.match(await scene.tab.getByTestId('element-err').textContent(), /could not be loaded/);
    return scene;
  },
  'without JavaScript the customer is told': async () => {
    const scene = await open({}, { javaScriptEnabled: false });
    assert.match(await scene.tab.locator('noscript').textContent(), /needs JavaScript/);
    return scene;
  },
};

let failed = 0;
for (const [name, run] of Object.entries(checks)) {
  try {
    const scene = await run();
    assert.deepEqual(scene.complaints, []);
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}
await browser.close();
server.close();
server.closeAllConnections();
fake.stdin.end();
rmSync(folder, { recursive: true });
process.exit(failed ? 1 : 0);
