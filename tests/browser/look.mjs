// The looks of a page: no axe violations, nothing wider than the screen, no table that scrolls sideways, no text cut
// off, a screenshot.
import { readFile } from 'node:fs/promises';
import { expect, same } from './harness.mjs';
import { axePath, desktop, phone } from './trial.mjs';

export const folder = 'target/browser/shots';
export const counted = { axe: 0, shots: 0 };

const long = Boolean(process.env.TILL_TEST_LONG);
const axe = await readFile(axePath, 'utf8');

/// Each language has its own view, so that both sizes and both colour schemes are covered; a long run has all
/// four.
const views = {
  en: [['desktop-light', desktop, 'light']],
  ru: [['phone-dark', phone, 'dark']],
};
const both = [...views.en, ...views.ru];
const all = [...both, ['desktop-dark', desktop, 'dark'], ['phone-light', phone, 'light']];

/// The browser locale for each language of the interface.
export const locales = { en: 'en-GB', ru: 'ru-RU' };
export const languages = Object.keys(locales);

const violations = page => page.evaluate(async () => {
  const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.target.join(' ')).join(', ')}`);
});

const wider = page => page.evaluate(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? [scrollWidth, clientWidth] : null;
});

/// Tables that are wider than the element that scrolls them, and cells whose content sticks out.
const wideTables = page => page.evaluate(() => {
  const found = [];
  for (const table of document.querySelectorAll('table')) {
    if (!table.checkVisibility()) continue;
    const name = table.caption?.textContent ?? table.className;
    let box = table.parentElement;
    while (box !== document.body && getComputedStyle(box).overflowX === 'visible') box = box.parentElement;
    if (box.scrollWidth > box.clientWidth) found.push(`${name}: ${box.scrollWidth} px in ${box.clientWidth} px`);
    for (const cell of table.querySelectorAll('tbody > tr > *')) {
      if (cell.scrollWidth > cell.clientWidth + 1) found.push(`${name}: ${cell.textContent.trim().slice(0, 40)}`);
    }
  }
  return found;
});

/// Entries of the menu that are higher than others: they would move what is below when they are chosen.
const tallEntries = page => page.evaluate(() => {
  const entries = [...document.querySelectorAll('.wide nav li')].filter(entry => entry.checkVisibility());
  return entries.filter(entry => entry.offsetHeight > 40).map(entry => entry.textContent);
});

/// Texts that overflow the box that clips them, or their button.
const cut = page => page.evaluate(() => {
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    // Text that scrolls in its own container is not cut off, and hidden text does not count.
    if (!node.data.trim() || parent.closest('.sr, .skip, [hidden], .scroll, pre') || !parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = (parent.closest('a, button, .note, .pick, main') ?? document.body).getBoundingClientRect();
    for (const { left, right, width } of range.getClientRects()) {
      if (width && (left < box.left - 1 || right > box.right + 1)) found.push(node.data.trim().slice(0, 60));
    }
  }
  return found;
});

/// The widths at which every page has to fit.
const widths = [320, phone.width, desktop.width];

/// The kinds of pages of the panel that were looked at.
export const kinds = new Set();

/// Checks that the page fits its screen and cuts nothing off.
export const fits = async (page, where) => {
  const size = await wider(page);
  expect(!size, `no scrolling sideways: ${where}`, size);
  same(await tallEntries(page), [], `entries of the menu that are too high: ${where}`);
  same(await wideTables(page), [], `tables that do not fit: ${where}`);
  same(await cut(page), [], `texts that are cut off: ${where}`);
};

/// Saves a screenshot if TILL_SHOTS is set or in a long run.
export const shoot = async (page, name, fullPage = true) => {
  if (!long && !process.env.TILL_SHOTS) return;
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage });
  counted.shots += 1;
};

/// Checks the page as it is: it may be an answer to a form that cannot be requested again. `only` is for a
/// page that has one language, and `tall` for one whose screenshot shows only its beginning.
export const look = async (page, name, language, { only = false, tall = false } = {}) => {
  same(await page.locator('html').getAttribute('lang'), language, `<html lang>: ${name}`);
  same(await page.locator('h1').count(), 1, `headings of the first order: ${name}, ${language}`);
  const before = page.viewportSize();
  await page.evaluate(axe);
  await page.evaluate(() => window.scrollTo(0, 0));
  for (const [view, size, colorScheme] of long ? all : only ? both : views[language]) {
    const where = `${name}, ${view}.${language}`;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    same(await violations(page), [], `what axe finds: ${where}`);
    counted.axe += 1;
    await shoot(page, `${name}.${view}.${language}`, !tall);
  }
  for (const width of widths) {
    await page.setViewportSize({ width, height: 640 });
    await fits(page, `${name}, ${width} px wide, ${language}`);
  }
  await page.setViewportSize(before);
  kinds.add(await page.locator('main').getAttribute('data-kind'));
};
