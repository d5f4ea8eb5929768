// Keyboard only: everything is reached in order, the focus is visible, Enter pays.
import { check, expect, same } from '../harness.mjs';
import { at, ended, kind, shows } from '../trial.mjs';
import { choose } from './live.mjs';

/// Presses Tab until the page ends; returns what was focused, and whether it was visible.
const walk = async page => {
  const found = [];
  await page.locator('body').press('Shift');
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press('Tab');
    const next = await page.evaluate(() => {
      const it = document.activeElement;
      if (!it || it === document.body) return null;
      const style = getComputedStyle(it), box = it.getBoundingClientRect();
      return {
        name: it.dataset.testid ?? it.id ?? '',
        text: (it.dataset.testid || it.id || it.textContent.trim()).slice(0, 40),
        ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
        inView: box.width > 0 && box.top >= 0 && box.bottom <= innerHeight + 1 && box.left >= 0 && box.right <= innerWidth + 1,
        top: box.top + scrollY,
      };
    });
    if (!next || found.some(it => it.text === next.text && it.top === next.top)) break;
    found.push(next);
  }
  return found;
};

const reached = async (page, wanted) => {
  const found = await walk(page);
  same(found.map(it => it.text), wanted, 'what Tab reaches, in order');
  for (const it of found) {
    expect(it.ring, `a visible focus on ${it.text}`);
    expect(it.inView, `${it.text} in view when it is focused`);
  }
};

const frame = ['Skip to payment', 'back-link', 'EN', 'other-language'];

check('keyboard: Tab reaches everything on the choice of methods and opens nothing', async t => {
  const session = await t.till.session('live');
  const page = await t.page();
  await page.goto(session.url);
  await reached(page, [...frame, 'method-card', 'email', 'pay-card', 'method-sbp', 'method-crypto', 'help']);
  same(await page.locator('details[open]').count(), 1, 'open panels after the walk');
});

check('keyboard: Tab reaches everything on the sandbox page', async t => {
  const session = await t.till.session('sandbox');
  const page = await t.page();
  await page.goto(session.url);
  await reached(page, [...frame, 'outcome-paid', 'fault', 'submit-outcome', 'help']);
});

check('keyboard: Tab reaches everything on the code, the address and the bank', async t => {
  const session = await t.till.session('live');
  const page = await t.page();
  await page.goto(session.url);
  await choose(page, 'sbp');
  await page.locator('.qr.wide').waitFor();
  await reached(page, [...frame, 'open-app', 'check-again', 'choose-another', 'help']);
  await at(page, 'choose-another').click();
  await choose(page, 'crypto');
  await at(page, 'address').waitFor();
  await reached(page, [...frame, 'Copy', 'Copy', 'open-wallet', 'check-again', 'choose-another', 'help']);
  const card = await t.till.session('live');
  await page.goto(card.url);
  await choose(page, 'card');
  await at(page, 'decision-approve').waitFor();
  const decisions = ['approve', 'three_ds', 'approve_slowly', 'decline', 'insufficient_funds', 'card_expired', 'cancel', 'expire', 'leave'];
  await reached(page, ['Skip to payment', 'EN', 'other-language', ...decisions.map(word => `decision-${word}`), 'help']);
});

check('keyboard: Enter and arrows pay in the sandbox', async t => {
  const session = await t.till.session('sandbox');
  const page = await t.page();
  await page.goto(session.url);
  await at(page, 'outcome-paid').focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
  expect(await at(page, 'outcome-three_ds').isChecked(), 'the arrows choose');
  await page.keyboard.press('Enter');
  await at(page, 'three-ds-confirm').focus();
  await page.keyboard.press('Enter');
  await shows(page, 'paid');
  await ended(session, 'paid');
});

check('keyboard: Enter opens a method and pays live', async t => {
  const session = await t.till.session('live');
  const page = await t.page();
  await page.goto(session.url);
  await at(page, 'method-sbp').focus();
  await page.keyboard.press('Enter');
  same(await page.locator('details[open] summary').getAttribute('data-testid'), 'method-sbp', 'the open method');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.locator('.qr.wide').waitFor();
  same(await kind(page), 'qr', 'the kind of page');
});

check('keyboard: Enter in the e-mail field pays, the skip link skips', async t => {
  const session = await t.till.session('live');
  const page = await t.page();
  await page.goto(session.url);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  same(await page.evaluate(() => document.activeElement.dataset.testid), 'method-card', 'the focus after skipping');
  await page.locator('#email').focus();
  await page.keyboard.type('customer@example.com');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/bank\//);
});

check('reduced motion: nothing moves', async t => {
  const session = await t.till.session('live', { defaultPaymentMethod: 'sbp' });
  for (const [reducedMotion, moves] of [['no-preference', true], ['reduce', false]]) {
    const page = await t.page({ context: { reducedMotion } });
    await page.goto(session.url);
    if (await at(page, 'pay-sbp').count()) await choose(page, 'sbp');
    await page.locator('.wait').first().waitFor();
    same(await page.evaluate(() => document.getAnimations().length > 0), moves, `something moves with ${reducedMotion}`);
  }
});
