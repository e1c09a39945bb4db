// Two tabs of one browser: language and theme are those of both, and what somebody types in one stays while the other changes them.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { eventually, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { ConsolePages, journeyTimeoutMs, launchBrowser, shownWithin } from './console-browser.js';

jest.setTimeout(journeyTimeoutMs);

describe('two tabs of the console', () => {
  let system: System;
  let browser: Browser;
  let pages: ConsolePages;
  let first: Page;
  let second: Page;
  beforeAll(async () => {
    [system, browser] = await Promise.all([startSystem(), launchBrowser()]);
    pages = await ConsolePages.open(browser, system.gateway.url);
    first = await pages.signedIn(await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] }), '/calls');
    second = await pages.page('/tools/calc_metrics');
    await second.locator('.shell').waitFor();
  }, startTimeoutMs * 2);
  afterAll(async () => {
    await pages?.[Symbol.asyncDispose]();
    await browser?.close();
    await system?.[Symbol.asyncDispose]();
  });
  const choose = async (page: Page, name: string) => {
    await page.bringToFront();
    await page.locator('.segments label', { hasText: name }).click();
  };
  /** A tab that is behind another draws nothing: its colours are half way until somebody looks. */
  const expectClean = async (page: Page) => {
    await page.bringToFront();
    await page.waitForTimeout(500);
    await pages.expectClean(page);
  };
  const look = (page: Page) => page.evaluate('document.documentElement.lang + " " + document.documentElement.dataset.theme');
  const looks = (wanted: string) =>
    eventually(async () => (await look(first)) === wanted && (await look(second)) === wanted, { ...shownWithin, what: wanted });

  test('what is chosen in one is so in the other, its words and its title too, and in one that is opened later', async () => {
    await choose(first, '中');
    await looks('zh-CN light');
    await second.getByRole('navigation').getByRole('link', { name: '调用', exact: true }).waitFor();
    await choose(first, '深色');
    await looks('zh-CN dark');
    await expectClean(first);
    await expectClean(second);
    const third = await pages.page('/keys');
    await third.getByRole('heading', { level: 1, name: /密钥/ }).waitFor();
    expect([await look(third), await third.title()]).toEqual(['zh-CN dark', expect.stringMatching(/密钥/)]);
    await third.close();
    await choose(second, 'EN');
    await looks('en dark');
    await first.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
    expect(await first.title()).toContain('Calls');
    await choose(first, 'Light');
    await looks('en light');
  });

  test('parameters that are typed as JSON stay, with the cursor where it was', async () => {
    await second.goto(`${system.gateway.url}/console/tools/calc_metrics`);
    await second.getByText('JSON', { exact: true }).click();
    const editor = second.locator('.cm-content');
    await editor.click();
    await second.keyboard.press('Control+a');
    await second.keyboard.type('[1, 2');
    await choose(first, '中');
    await looks('zh-CN light');
    await second.bringToFront();
    await second.keyboard.type(', 3');
    expect((await editor.innerText()).replaceAll(/\s/g, '')).toContain('[1,2,3');
    expect(await editor.getAttribute('aria-label')).toBe('参数');
    await expectClean(second);
    await choose(first, 'EN');
    await looks('en light');
    await second.bringToFront();
    await second.keyboard.type(', 4');
    expect((await editor.innerText()).replaceAll(/\s/g, '')).toContain('[1,2,3,4');
  });

  test('a form that is typed into stays, and is asked about in the words that are chosen now', async () => {
    await second.goto(`${system.gateway.url}/console/policies`);
    await second.getByRole('button', { name: 'New policy' }).click();
    const dialog = second.getByRole('dialog');
    await dialog.getByLabel('Name').fill('half-typed');
    await dialog.getByLabel('When').fill('tool.name == "calc_metrics"');
    await choose(first, '中');
    await looks('zh-CN light');
    expect(await dialog.locator('input').first().inputValue()).toBe('half-typed');
    expect(await dialog.locator('textarea').first().inputValue()).toBe('tool.name == "calc_metrics"');
    await second.bringToFront();
    await second.keyboard.press('Escape');
    await dialog.getByText('填写的内容尚未保存').waitFor();
    await expectClean(second);
    await choose(first, 'EN');
    await dialog.getByText('What you typed is not saved.').waitFor();
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('half-typed');
  });
});
