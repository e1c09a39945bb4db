// What calls may be made and what they may cost, what they did cost, and who sees which screen, also on a phone.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { eventually, HttpCaller, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { ConsolePages, journeyTimeoutMs, launchBrowser, shownWithin } from './console-browser.js';

jest.setTimeout(journeyTimeoutMs);

const light = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

describe('the console of a system with rules', () => {
  let system: System;
  let browser: Browser;
  let pages: ConsolePages;
  let page: Page;
  let user: HttpCaller;
  beforeAll(async () => {
    [system, browser] = await Promise.all([startSystem(), launchBrowser()]);
    const key = await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] });
    user = await system.caller();
    pages = await ConsolePages.open(browser, system.gateway.url);
    page = await pages.signedIn(key);
  }, startTimeoutMs * 2);
  afterAll(async () => {
    await pages?.[Symbol.asyncDispose]();
    await browser?.close();
    await system?.[Symbol.asyncDispose]();
  });
  const go = (path: string) => page.goto(`${system.gateway.url}/console${path}`);
  const dialog = () => page.getByRole('dialog');

  test('a policy is written, tried, saved, and tells why a call would be denied', async () => {
    await go('/policies');
    await page.getByText('No policies yet').waitFor();
    await page.getByRole('button', { name: 'New policy' }).click();
    await dialog().getByLabel('Name').fill('heavy');
    await dialog().getByLabel('When').fill('tool.name == ');
    await dialog().getByText('Deny').click();
    await dialog().getByRole('button', { name: 'Create policy' }).click();
    await dialog().locator('.fault').first().waitFor();
    await dialog().getByLabel('When').fill('tool.name == "calc_metrics" && args.weight_kg > 200.0');
    await dialog().getByLabel('Message').fill('Too heavy.');
    await pages.expectClean(page);
    await dialog().getByRole('button', { name: 'Create policy' }).click();
    await page.getByText('The policy heavy is saved').waitFor();
    const tester = page.getByRole('region', { name: 'Test a call' });
    await tester.getByLabel('Tool').fill('calc_metrics');
    for (const [name, value] of Object.entries({ height_cm: '175', weight_kg: '250', age: '30' }))
      await tester.locator(`[data-path=${name}]`).fill(value);
    await tester.locator('[data-path=gender]').selectOption({ label: 'male' });
    await tester.locator('[data-path=activity_level]').selectOption({ label: 'moderate' });
    await tester.getByRole('button', { name: 'Test', exact: true }).click();
    await tester.getByText('The call would be denied by heavy').waitFor();
    await tester.getByText('args.weight_kg > 200.0').waitFor();
    await pages.expectClean(page);
    await tester.locator('[data-path=weight_kg]').fill('80');
    await tester.getByRole('button', { name: 'Test', exact: true }).click();
    await tester.getByText('The call would be made').waitFor();
    await page.getByRole('button', { name: 'Delete policy heavy' }).click();
    await dialog().getByText('Calls that it denied are taken from now on').waitFor();
    await dialog().getByRole('button', { name: 'Delete policy heavy' }).click();
    await page.getByText('No policies yet').waitFor();
  });

  test('a budget is made, its use seen, and its end', async () => {
    await go('/budgets');
    await page.getByRole('button', { name: 'New budget' }).click();
    await dialog().getByLabel('Name').fill('metrics');
    await dialog().getByLabel('Most calls').fill('2');
    await dialog().getByLabel('Tool').fill('calc_metrics');
    await dialog().getByText('a day', { exact: true }).click();
    await dialog().getByLabel('Time zone').fill('Mars/Olympus');
    await dialog().getByRole('button', { name: 'Create budget' }).click();
    await dialog()
      .getByText(/IANA time zone/)
      .waitFor();
    await pages.expectClean(page);
    await dialog().getByLabel('Time zone').fill('UTC');
    await dialog().getByRole('button', { name: 'Create budget' }).click();
    await page.getByText('The budget metrics is saved.').waitFor();
    await eventually(
      async () => (await user.post('/tools/calc_metrics', { ...light, age: Math.ceil(Math.random() * 80) + 10 })).status === 429,
      shownWithin,
    );
    const row = page.getByRole('row', { name: /metrics/ });
    await row.getByText('Used up').waitFor();
    await row.getByText('2 of 2').waitFor();
    await pages.expectClean(page);
    await page.getByRole('button', { name: 'Delete budget metrics' }).click();
    await dialog().getByRole('button', { name: 'Delete budget metrics' }).click();
    await page.getByText('No budgets yet').waitFor();
  });

  test('usage is what the API tells, by tool and by user, and goes into a file', async () => {
    await eventually(async () => (await user.get('/usage/calls')).text.includes('calc_metrics'), shownWithin);
    await go('/usage');
    const row = page.getByRole('row', { name: /calc_metrics/ });
    await eventually(async () => {
      await page.reload();
      await row.first().waitFor();
      return (await row.first().textContent())?.includes('calc_metrics2') ?? false;
    }, shownWithin);
    await pages.expectClean(page);
    await page.getByText('User', { exact: true }).click();
    await page.getByRole('row', { name: /user_001/ }).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export CSV' }).click()]);
    expect(file.suggestedFilename()).toMatch(/^invoq-usage-.*-by-user\.csv$/);
    const text = await readFile(await file.path(), 'utf8');
    expect(text).toContain('day,user,calls,completed');
    expect(text).toMatch(/^\d{4}-\d\d-\d\d,user_001,2,2,0,0,/m);
  });

  test('on a phone the screens stand behind a button, and no page is wider than it', async () => {
    await using phone = await ConsolePages.open(browser, system.gateway.url, { language: 'zh-CN', theme: 'dark' });
    const small = await phone.signedIn(await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] }));
    await small.setViewportSize({ width: 390, height: 844 });
    for (const name of ['待处理请求', '定时任务', '批量调用', 'Webhook', '用量与费用', '预算', '策略', '密钥', '工具', '审计']) {
      await small.getByRole('button', { name: '菜单' }).click();
      await small.getByRole('navigation').getByRole('link', { name }).click();
      await small.getByRole('heading', { level: 1, name }).waitFor();
      expect(await small.evaluate('document.querySelector(".main").scrollWidth <= document.querySelector(".main").clientWidth')).toBe(true);
      await phone.expectClean(small);
    }
  });
});
