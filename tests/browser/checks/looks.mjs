// What every page looks like: nothing for axe to find, nothing wider than the screen, a picture of each.
import { check, expect, same } from '../harness.mjs';
import { axePath, desktop, phone } from '../trial.mjs';
import { stage, stages } from '../stages.mjs';

export const folder = 'target/browser/shots';
export const counted = { axe: 0, shots: 0 };

export const violations = page => page.evaluate(async () => {
  const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.target.join(' ')).join(', ')}`);
});

export const wider = page => page.evaluate(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? [scrollWidth, clientWidth] : null;
});

/// Texts that reach out of the box that cuts them off, or out of their button.
export const cut = page => page.evaluate(() => {
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    // What scrolls in a frame of its own is not cut off, and what is folded away is not there.
    if (!node.data.trim() || parent.closest('.sr, .skip, [hidden], .scroll') || !parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = (parent.closest('a, button, .note, .pick, main') ?? document.body).getBoundingClientRect();
    for (const { left, right, width } of range.getClientRects()) {
      if (width && (left < box.left - 1 || right > box.right + 1)) found.push(node.data.trim().slice(0, 60));
    }
  }
  return found;
});

for (const wanted of stages) {
  for (const [language, locale] of [['en', 'en-GB'], ['ru', 'ru-RU']]) {
    check(`looks: ${wanted.name}, ${language}`, async t => {
      const page = await stage(t, wanted, { language: locale, context: { bypassCSP: true } });
      same(await page.locator('html').getAttribute('lang'), language, '<html lang>');
      same(await page.locator('h1').count(), 1, 'headings of the first order');
      await page.addScriptTag({ path: axePath });
      for (const [view, size] of [['desktop', desktop], ['phone', phone]]) {
        await page.setViewportSize(size);
        for (const colorScheme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme });
          same(await violations(page), [], `what axe finds: ${view}, ${colorScheme}`);
          counted.axe += 1;
          await page.screenshot({ path: `${folder}/${wanted.name}.${view}-${colorScheme}.${language}.png`, fullPage: true });
          counted.shots += 1;
        }
        expect(!await wider(page), `no scrolling sideways: ${view}`, await wider(page));
        same(await cut(page), [], `texts that are cut off: ${view}`);
      }
      await page.setViewportSize({ width: 320, height: 640 });
      expect(!await wider(page), 'no scrolling sideways at 320 px', await wider(page));
      same(await cut(page), [], 'texts that are cut off at 320 px');
    });
  }
}
