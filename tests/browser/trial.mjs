// The environment of one check: browser contexts of its own, and everything the browser complained about.
import { createRequire } from 'node:module';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, same, until } from './harness.mjs';

const require = createRequire(path.resolve('.tools/browser/package.json'));
const { chromium } = require('playwright-core');
export const axePath = require.resolve('axe-core/axe.min.js');

/// A browser that maps some host names to this machine by these rules.
export const launch = (rules = []) =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--disable-dev-shm-usage', `--host-resolver-rules=${['MAP till.lan 127.0.0.1', ...rules].join(',')}`],
  });

export const desktop = { width: 1280, height: 900 };
export const phone = { width: 390, height: 844 };

export class Trial {
  #contexts = [];
  #complaints = [];
  #allowed = [];

  constructor(name, world) {
    Object.assign(this, { name, ...world });
  }

  /// A page in a context of its own. Every console error or warning fails the check.
  async page({ js = true, language = 'en-GB', size = desktop, context: more = {}, beside } = {}) {
    let context = beside?.context();
    if (!context) {
      context = await this.browser.newContext({
        javaScriptEnabled: js, locale: language, viewport: size, colorScheme: 'light', ...more,
        ...(size === phone && { isMobile: true, hasTouch: true }),
      });
      context.setDefaultTimeout(15_000);
      this.#contexts.push(context);
      await context.exposeBinding('tellViolation', (_, text) => this.#complain(text));
      await context.addInitScript(() => document.addEventListener('securitypolicyviolation', event =>
        window.tellViolation(`CSP: ${event.effectiveDirective} blocked ${event.blockedURI}`)));
    }
    const page = await context.newPage();
    page.on('console', message => {
      if (['error', 'warning'].includes(message.type())) this.#complain(`console: ${message.text()}`);
    });
    page.on('pageerror', error => this.#complain(`script: ${error.message}`));
    page.on('request', request => this.#stranger(request.url()));
    return page;
  }

  /// Complains about a request to any host but the services and the shop.
  #stranger(url) {
    const known = [...this.services().flatMap(service => [service.url, service.checkout ?? service.url]), this.shop.url];
    if (!/^(data|blob|about):/.test(url) && !known.some(base => url.startsWith(`${base}/`))) {
      this.#complain(`a request to somebody else: ${url}`);
    }
  }

  #complain(text) {
    if (!this.#allowed.some(allowed => allowed.test(text))) this.#complaints.push(text);
  }

  /// Allows a complaint that is part of what is checked.
  allow(pattern) { this.#allowed.push(pattern); }

  verdict() { same(this.#complaints, [], 'the browser complained'); }

  /// The URLs and screenshots of its pages when it failed.
  places() { return this.where ?? ''; }

  async close(failure) {
    const pages = this.#contexts.flatMap(context => context.pages());
    if (failure && pages.length) {
      await mkdir('target/browser/failures', { recursive: true });
      const lines = [];
      for (const [number, page] of pages.entries()) {
        const file = `target/browser/failures/${this.name.replace(/[^a-z0-9]+/gi, '-')}-${number + 1}.png`;
        await page.screenshot({ path: file, fullPage: true, timeout: 5000 }).catch(() => {});
        lines.push(`\n    page ${number + 1}: ${page.url()} (${file})`);
      }
      this.where = lines.join('');
    }
    await Promise.all(this.#contexts.map(context => context.close()));
  }
}

/// An element of a page, by its test id.
export const at = (page, id) => page.getByTestId(id);

/// Its text, with plain spaces.
export const text = async locator => (await locator.innerText()).replace(/[\u00a0\u202f]/g, ' ');

/// Waits until a page shows this status.
export const shows = async (page, status, ms = 30_000) => {
  await page.locator(`[data-testid=status][data-status=${status}]`).waitFor({ state: 'attached', timeout: ms });
};

/// The kind of page that is shown.
export const kind = page => page.locator('main').getAttribute('data-kind');

/// Checks that the session ended with this status, in the API and in one callback.
export const ended = async (session, status, reason) => {
  const { service } = session;
  same(await service.status(session), status, 'the status in the API');
  const own = () => service.shop.of(session).filter(({ event }) => event.startsWith('session.'));
  await until('the callback arrived', () => own().length);
  const callbacks = own();
  same(callbacks.map(({ event, status }) => `${event} ${status}`), [`session.${status} ${status}`], 'the callbacks');
  if (reason) same(callbacks[0].failureReason, reason, 'the reason in the callback');
};

/// Checks that nothing changes after a while: there is still only one callback.
export const once = async (session, status) => {
  await ended(session, status);
  await new Promise(done => setTimeout(done, 400));
  expect(session.service.shop.of(session).length === 1, 'more than one callback', session.service.shop.of(session));
};
