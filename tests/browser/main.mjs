// Starts the services that the checks need, runs the checks, and cleans up.
import { readFile, rm } from 'node:fs/promises';
import { Acquirer } from './acquirer.mjs';
import { Chain } from './chain.mjs';
import { run } from './harness.mjs';
import { Demo, freePort, Postbox, Service, Shop } from './service.mjs';
import { Stripe } from './stripe.mjs';
import { counted, kinds } from './look.mjs';
import { launch, Trial } from './trial.mjs';
import './checks/sandbox.mjs';
import './checks/live.mjs';
import './checks/chain.mjs';
import './checks/acquirers.mjs';
import './checks/stripe.mjs';
import './checks/once.mjs';
import './checks/time.mjs';
import './checks/frame.mjs';
import './checks/keyboard.mjs';
import './checks/docs.mjs';
import './checks/operator.mjs';
import { figures } from './checks/looks.mjs';
import { verified } from './checks/panel.mjs';
import { dearest } from './checks/panel-looks.mjs';
import './checks/panel-lists.mjs';
import './checks/panel-products.mjs';
import './checks/panel-refund.mjs';
import './checks/panel-wallet.mjs';
import { times } from './checks/shop.mjs';

const started = Date.now();
await rm('target/browser', { recursive: true, force: true });
const shop = await Shop.open();
const services = [];
const acquirers = {};
let browser, postbox, chain, stripe, failures = 1;

const stop = async () => {
  await browser?.close().catch(() => {});
  await Promise.all(services.map(service => service.stop()));
  shop.close();
  postbox?.close();
  await chain?.stop();
  await Promise.all(Object.values(acquirers).map(acquirer => acquirer.stop()));
  await stripe?.stop();
};
process.on('exit', () => { for (const one of [...services, ...Object.values(acquirers)]) one.process.kill(); chain?.process.kill(); });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop().finally(() => process.exit(1)));

const start = async settings => {
  const service = await Service.start(shop, settings);
  services.push(service);
  return service;
};

const startDemo = async () => {
  const demo = await Demo.start();
  services.push(demo);
  return demo;
};

/// Pages that nobody can open on purpose: trouble of the service, and a refund on a chain that ended.
const RARE = ['busy', 'trouble', 'too-large', 'hand-refund'];

/// The number of kinds of pages of the panel that no check has looked at. A test of the panel compares the list with its pages.
const unseen = async () => {
  const all = (await readFile('tests/browser/kinds.txt', 'utf8')).trim().split('\n');
  const missing = all.filter(kind => !kinds.has(kind) && !RARE.includes(kind));
  for (const kind of missing) console.log(`no check has looked at a page of the kind ${kind}`);
  return missing.length;
};

try {
  const port = await freePort();
  postbox = await Postbox.open();
  chain = await Chain.start();
  for (const name of ['yookassa', 'tbank']) acquirers[name] = await Acquirer.start(name);
  stripe = await Stripe.start();
  const [till, hasty, embedding, apart, desk, evm, yookassa, tbank, carded, demo] = await Promise.all([
    // Sends receipts by mail.
    start(postbox.settings),
    // Short lifetimes.
    start({
      TILL_LIFETIME_CARD: '8s', TILL_LIFETIME_SBP: '8s', TILL_LIFETIME_CRYPTO: '12s', TILL_CALLBACK_RETRIES: '200ms,400ms',
    }),
    // The card form embedded in our page.
    start({ TILL_SIMULATOR_CARD: 'embedded' }),
    // The checkout under its own host name.
    start({
      TILL_LISTEN: `127.0.0.1:${port}`,
      TILL_BASE_URL: `http://127.0.0.1:${port}`,
      TILL_CHECKOUT_URL: `http://localhost:${port}`,
    }),
    // The panel and the console.
    start({ TILL_SUPPORT_CONTACT: 'help@till.example' }),
    // Crypto on a real chain, and nothing else.
    start({ TILL_SIMULATOR: 'off', TILL_EVM_FILE: chain.file }),
    // Cards and SBP at YooKassa.
    start({ TILL_SIMULATOR: 'off', TILL_YOOKASSA_FILE: acquirers.yookassa.file }),
    // Cards and SBP at T-Bank.
    start({ TILL_SIMULATOR: 'off', TILL_TBANK_FILE: acquirers.tbank.file }),
    // Cards by Stripe, and nothing else.
    start({ TILL_SIMULATOR: 'off', TILL_STRIPE_FILE: stripe.file }),
    startDemo(),
  ]);
  await stripe.hear(carded);
  apart.checkout = `http://localhost:${port}`;
  await acquirers.yookassa.tells(yookassa);
  await acquirers.tbank.tells(tbank);
  browser = await launch([...Object.values(acquirers).map(acquirer => acquirer.rule), ...stripe.rules]);
  const world = {
    browser, shop, postbox, till, hasty, embedding, apart, desk, evm, chain, yookassa, tbank, acquirers, carded, stripe, demo, startDemo,
    services: () => services,
  };
  failures = await run(process.argv.slice(2).join(' '), name => new Trial(name, world));
  for (const [name, requests, bytes] of figures.sort()) {
    console.log(`first view of ${name.padEnd(20)} ${requests} requests ${String(bytes).padStart(6)} bytes`);
  }
  for (const { start, buy } of times) {
    console.log(`demo: ready after ${start} ms, bought, paid and back in the shop after ${buy} ms more`);
  }
  if (dearest.name) {
    console.log(`dearest first view of the panel: ${dearest.name}, ${dearest.requests} requests, ${dearest.bytes} bytes`);
  }
  for (const { before, during, after, again, paid } of verified) {
    console.log(`a rotation under load: ${paid} payments, callbacks verified: ${before} before, ${during} during, ` +
      `${after} after the shop had the new pair; ${again} on their way just then came again`);
  }
  if (process.argv.length === 2) failures += await unseen();
  console.log(`axe found nothing in ${counted.axe} runs; ${counted.shots} screenshots in target/browser/shots`);
  for (const service of services) {
    for (const line of await service.complaints()) {
      failures += 1;
      console.log(`the service complained: ${line}`);
    }
  }
} finally {
  await stop();
}
console.log(`${((Date.now() - started) / 1000).toFixed(0)} s`);
process.exit(failures ? 1 : 0);
