// Users of the panel: created by the operator's command, logged in with a browser.
import { createHmac, randomUUID } from 'node:crypto';
import { expect, same } from './harness.mjs';
import { at } from './trial.mjs';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const unbase32 = text => {
  let bits = '';
  for (const letter of text.replace(/[\s=]/g, '')) bits += letters.indexOf(letter.toUpperCase()).toString(2).padStart(5, '0');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => parseInt(byte, 2)));
};

/// The code that an authenticator app shows (RFC 6238), now or this many steps of 30 seconds later.
export const totp = (secret, later = 0) => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const hash = createHmac('sha1', unbase32(secret)).update(counter).digest();
  const number = hash.readUInt32BE(hash[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
};

/// Six digits that are not a valid code around now.
export const noCode = secret => {
  const codes = [-2, -1, 0, 1, 2].map(later => totp(secret, later));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find(code => !codes.includes(code));
};

/// A new user with a password.
export const person = async (service, role, vendor) => {
  const email = `${role.replace('_', '-')}-${randomUUID().slice(0, 8)}@shop.example`;
  const words = ['user', 'create', '--email', email, '--role', role, ...(vendor ? ['--vendor', vendor.vendor_id] : []), '--json'];
  return { ...JSON.parse(await service.till(...words)), role, service };
};

/// Enters e-mail address and password; a user with a second factor is asked for the code after that.
export const giveEmailAndPassword = async (page, { service, email, password }) => {
  if (!page.url().startsWith(`${service.url}/panel/login`)) await page.goto(`${service.url}/panel/login`);
  await at(page, 'email').fill(email);
  await at(page, 'password').fill(password);
  await at(page, 'log-in').click();
};

/// Sets up the second factor; returns its secret and the recovery codes.
export const setFactorUp = async page => {
  const secret = await at(page, 'totp-secret').innerText();
  const used = totp(secret);
  await at(page, 'code').fill(used);
  await at(page, 'totp-confirm').click();
  const codes = (await at(page, 'recovery-codes').locator('li').allInnerTexts()).map(code => code.trim());
  same(codes.length, 10, 'recovery codes');
  return { secret, codes, used };
};

/// The service checks two new log-ins of one network at a time, and all of ours come from one network: they
/// take turns.
let turn = Promise.resolve();
const inTurn = work => (turn = turn.then(work, work));

/// A new user who is logged in, on a page of their own.
export const loggedIn = async (t, role, { service = t.desk, vendor, ...view } = {}) => {
  const who = await person(service, role, vendor);
  const page = await t.page(view);
  await inTurn(async () => {
    await giveEmailAndPassword(page, who);
    await page.waitForURL(url => !url.pathname.startsWith('/panel/login'));
  });
  if (role === 'operator') {
    await at(page, 'totp-forced').waitFor();
    Object.assign(who, await setFactorUp(page));
    await at(page, 'recovery-done').click();
  }
  await page.locator('main[data-kind]').waitFor();
  expect(!page.url().includes('/login'), 'they are in', page.url());
  if (role.startsWith('vendor_')) await open(page, service, '/panel/settings');
  return { page, who };
};

export const open = (page, service, path) => page.goto(service.url + path);

/// The HTML of a page, visible or not.
export const source = page => page.evaluate(() => document.documentElement.outerHTML);
