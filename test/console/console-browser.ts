// The console in a real Chromium. A page notes everything that it must never do, and each test ends by asking for it.
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { z } from 'zod';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { eventually } from '#lib/testing';
import { findChromium } from '../../scripts/provision/chromium.js';

const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser and several processes share the machine with other tests. */
export const journeyTimeoutMs = 300_000;
/** For what a page shows after a while. */
export const shownWithin = { withinMs: 60_000 };

interface Preferences {
  readonly language: 'en' | 'zh-CN';
  readonly theme: 'light' | 'dark';
}

const defaults: Preferences = { language: 'en', theme: 'light' };

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: flags });
}

/** Pages of one browser profile at one gateway. */
export class ConsolePages implements AsyncDisposable {
  readonly context: BrowserContext;
  readonly origin: string;
  /** Policy reports, errors of scripts, and requests to other origins. */
  readonly faults: string[] = [];
  /** Other origins that pages may go to, such as the issuer at which somebody signs in. */
  readonly others: string[] = [];

  private constructor(context: BrowserContext, origin: string) {
    this.context = context;
    this.origin = origin;
  }

  static async open(browser: Browser, origin: string, preferences: Preferences = defaults): Promise<ConsolePages> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    context.setDefaultTimeout(60_000);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    // An empty page has no storage.
    await context.addInitScript(`if (location.protocol !== 'about:') {
      const key = 'invoq-console-preferences';
      if (!localStorage.getItem(key)) localStorage.setItem(key, ${JSON.stringify(JSON.stringify(preferences))});
      window.layoutShifts = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.layoutShifts += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
        console.error('policy report: ' + violatedDirective + ' ' + blockedURI + ' ' + sample));
    }`);
    const pages = new ConsolePages(context, origin);
    context.on('page', (page) => pages.#watch(page));
    return pages;
  }

  /** A new page at a path below the console, such as `/calls?state=failed`. */
  async page(path = ''): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(`${this.origin}/console${path}`);
    return page;
  }

  /** A new page of somebody who has signed in with a key; again, as people would, where the embedded database was busy. */
  async signedIn(key: string, path = ''): Promise<Page> {
    const page = await this.page(path);
    const field = page.locator('input[name=key]');
    await field.fill(key);
    await eventually(
      async () => {
        await field.press('Enter', { timeout: 1_000 }).catch(() => undefined);
        await page
          .locator('.shell')
          .waitFor({ timeout: 10_000 })
          .catch(() => undefined);
        return page.locator('.shell').isVisible();
      },
      { ...shownWithin, what: 'a sign-in' },
    );
    return page;
  }

  /** Fails for whatever the pages have done wrong so far, and for what axe finds on this one. */
  async expectClean(page: Page): Promise<void> {
    expect(this.faults).toEqual([]);
    expect(await violations(page)).toEqual([]);
  }

  /** How much of what a page shows was moved since it was opened, by what came later: the sum of its layout shifts. */
  async shifted(page: Page): Promise<number> {
    return Number(await page.evaluate('window.layoutShifts'));
  }

  /** What a finger cannot hit, what stands beyond the edge of the page where nobody can scroll to it, and values that their titles leave no room. */
  async squeezed(page: Page): Promise<readonly string[]> {
    return z.array(z.string()).parse(await page.evaluate(squeezed));
  }

  #watch(page: Page): void {
    page.on('pageerror', (error) => this.faults.push(`script: ${error.message}`));
    page.on('console', (message) => {
      const text = message.text();
      // What the gateway refuses is an answer, which the screen shows; it asks again after a 503.
      const isAnswer =
        /^Failed to load resource: the server responded with a status of (4|503)/.test(text) ||
        /ERR_(CONNECTION|INCOMPLETE|NETWORK|EMPTY)/.test(text);
      if (message.type() === 'error' && !isAnswer) this.faults.push(`console: ${text} ${message.location().url}`);
    });
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== this.origin && !this.others.includes(origin))
        this.faults.push(`foreign request: ${request.url()}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}

const leastTarget = 24;
const leastValue = 80;
/** Runs in the page. A link within a text is no target of its own. */
const squeezed = `[...document.querySelectorAll('.main *')].flatMap((element) => {
  const { width, height, right } = element.getBoundingClientRect();
  if (width === 0 || height === 0 || element.closest('.hidden-visually, .skip-link')) return [];
  const told = element.tagName + '.' + element.className + ' ' + element.textContent.trim().slice(0, 40);
  const found = [];
  if (element.matches('button:not(.link), .button, .segments label, select, summary') && Math.min(width, height) < ${leastTarget})
    found.push('small: ' + told);
  const scrolls = (one) => one && (/auto|scroll/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
  if (right > innerWidth + 1 && !scrolls(element.parentElement)) found.push('beyond: ' + told);
  if (element.matches('.facts > div > dd') && width < ${leastValue}) found.push('squeezed: ' + told);
  return found;
})`;

/** What axe finds, in one line each. Stories stand side by side, so their landmarks have equal names. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const rules = JSON.stringify({
    'landmark-unique': { enabled: !page.url().endsWith('/stories') },
    // Who speaks to a page says what stands on a button. Axe leaves this out unless it is asked.
    'label-content-name-mismatch': { enabled: true },
  });
  const found: unknown = await page.evaluate(`axe.run(document, { resultTypes: ['violations'], rules: ${rules} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary.slice(0, 300))))`);
  if (!Array.isArray(found)) throw new Error('axe gave no list');
  return found.map(String);
}
