// A gateway that hangs, and one that is gone: every page says so within ten seconds, and how old is what it shows.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startSystem, startTimeoutMs, type System } from '#lib/testing';
import { ConsolePages, journeyTimeoutMs, launchBrowser } from './console-browser.js';

jest.setTimeout(journeyTimeoutMs);

const mostMs = 10_000;

describe('the console of a gateway that gives no answer', () => {
  let system: System;
  let browser: Browser;
  let pages: ConsolePages;
  let all: readonly Page[];
  beforeAll(async () => {
    [system, browser] = await Promise.all([startSystem(), launchBrowser()]);
    pages = await ConsolePages.open(browser, system.gateway.url);
    const home = await pages.signedIn(await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] }));
    // With a stream that tells of each second, with one that is silent, and without any.
    all = [home, await pages.page('/calls'), await pages.page('/keys')];
    for (const page of all) await page.locator('.panel').first().waitFor();
  }, startTimeoutMs * 2);
  afterAll(async () => {
    await pages?.[Symbol.asyncDispose]();
    await browser?.close();
    await system?.[Symbol.asyncDispose]();
  });
  const bar = (page: Page) => page.getByRole('alert').filter({ hasText: 'No answer from the gateway since' });
  const told = async () => Promise.all(all.map(async (page) => bar(page).waitFor({ timeout: mostMs })));

  test('each page tells it over all that it shows, with the age of its figures, and goes on by itself', async () => {
    // Whatever a screen needs is there before the gateway is away.
    await all[0]?.waitForLoadState('networkidle').catch(() => undefined);
    await all[0]?.waitForTimeout(5_000);
    const since = Date.now();
    system.gateway.signal('SIGSTOP');
    try {
      await told();
      expect(Date.now() - since).toBeLessThan(mostMs);
      for (const page of all) {
        expect(await page.locator('main.stale').count()).toBe(1);
        // One place says it, and no other.
        expect(await page.getByText('No answer from the gateway since').count()).toBe(1);
        await pages.expectClean(page);
      }
      const [home] = all;
      if (!home) throw new Error('no page');
      await bar(home)
        .getByText(/1\d s old/)
        .waitFor();
      // A screen that was not opened yet is there, and no error page of the browser.
      await home.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Budgets' }).click();
      await home.getByRole('heading', { level: 1, name: 'Budgets' }).waitFor();
      await home.goBack();
    } finally {
      system.gateway.signal('SIGCONT');
    }
    for (const page of all) await bar(page).waitFor({ state: 'detached' });
    await all[0]?.getByText('Live', { exact: true }).waitFor();
    for (const page of all) await pages.expectClean(page);
  });

  test('a page is told that the gateway is gone, and that it is back', async () => {
    await system.gateway.kill();
    await told();
    await system.gateway.restart();
    for (const page of all) await bar(page).waitFor({ state: 'detached' });
    expect(pages.faults.filter((fault) => !/ERR_/.test(fault))).toEqual([]);
  });
});
