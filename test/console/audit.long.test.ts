// Who changed what: found by who, what and when, compared with what was before, and followed to the call that it speaks of.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { auditPage } from '#lib/contracts';
import { eventually, HttpCaller, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { ConsolePages, journeyTimeoutMs, launchBrowser, shownWithin } from './console-browser.js';

jest.setTimeout(journeyTimeoutMs);

const heavy = { height_cm: 175, weight_kg: 199, age: 30, gender: 'male', activity_level: 'moderate' };
const requests = z.looseObject({ input_requests: z.array(z.looseObject({ id: z.string() })) });

describe('the audit in the console', () => {
  let system: System;
  let browser: Browser;
  let pages: ConsolePages;
  let page: Page;
  let key: string;
  let boss: HttpCaller;
  beforeAll(async () => {
    [system, browser] = await Promise.all([startSystem(), launchBrowser()]);
    key = await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] });
    boss = new HttpCaller(
      system.gateway.url,
      await system.tenant.key({ userId: 'boss@example.com', scopes: ['tools:read', 'tools:write', 'tenant:admin', 'approvals'] }),
    );
    const put = (then: string) =>
      boss.request('/policies/heavy', {
        method: 'PUT',
        json: { when: 'tool.name == "calc_metrics" && args.weight_kg > 198.0', then, message: 'So heavy?' },
      });
    expect((await put('deny')).status).toBeLessThan(300);
    expect((await put('ask')).status).toBeLessThan(300);
    const user = await system.caller();
    await eventually(
      async () => (await user.with({ prefer: 'respond-async' }).post('/tools/calc_metrics', heavy)).text.includes('resting'),
      shownWithin,
    );
    const asked = (await boss.get('/input-requests?scope=tenant')).as(requests).input_requests[0];
    expect((await boss.post(`/input-requests/${asked?.id}`, { action: 'accept', reason: 'Let it be.' })).status).toBe(200);
    pages = await ConsolePages.open(browser, system.gateway.url);
    page = await pages.signedIn(key);
  }, startTimeoutMs * 2);
  afterAll(async () => {
    await pages?.[Symbol.asyncDispose]();
    await browser?.close();
    await system?.[Symbol.asyncDispose]();
  });
  const go = (path: string, at = page) => at.goto(`${system.gateway.url}/console${path}`);
  const dialog = () => page.getByRole('dialog');

  test('a change is found by who made it, compared with what was before, and its address opens it again', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    await page.getByRole('button', { name: /^Input request decided/ }).waitFor();
    await pages.expectClean(page);
    await page.getByLabel('Who: tenant/user').fill(`${system.tenant.id}/boss@example.com`);
    await page.getByLabel('Action').selectOption({ label: 'Policy changed' });
    await page.getByText('1 entry').waitFor();
    await page.waitForURL(({ searchParams }) => searchParams.get('actor') === `${system.tenant.id}/boss@example.com`);
    expect(new URL(page.url()).searchParams.get('action')).toBe('policy.update');
    await page.getByRole('button', { name: /^Policy changed heavy/ }).click();
    const change = dialog().getByRole('region', { name: 'What changed' });
    await change.locator('.removed', { hasText: 'deny' }).waitFor();
    await change.locator('.added', { hasText: 'ask' }).waitFor();
    expect(await change.textContent()).not.toContain('So heavy?');
    await pages.expectClean(page);
    // The address alone is enough, also where the filters let the entry through no more.
    const { entry, at } = Object.fromEntries(new URL(page.url()).searchParams);
    await go(`/audit?action=api_key.insert&entry=${entry}&at=${at}`);
    await change.locator('.added', { hasText: 'ask' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.waitForURL(({ searchParams }) => !searchParams.has('entry'));
    await go(`/audit?entry=00000000-0000-4000-8000-000000000000&at=${at}`);
    await dialog().getByText('This entry is not here').waitFor();
  });

  test('a decision leads to its call, to what else its maker did, and back', async () => {
    await go('/audit?action=input_request.update');
    await page.getByRole('button', { name: /^Input request decided/ }).click();
    await dialog().getByRole('link', { name: 'Open the call' }).click();
    await page.getByRole('heading', { level: 1, name: /calc_metrics/ }).waitFor();
    await page.goBack();
    await dialog()
      .getByRole('link', { name: `${system.tenant.id}/boss@example.com` })
      .click();
    await page.getByRole('button', { name: /^Policy created/ }).waitFor();
    await dialog().waitFor({ state: 'detached' });
    await page.goBack();
    await dialog().getByRole('link', { name: 'Calls of boss@example.com' }).click();
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
  });

  test('times are relative or between two moments, and what is shown goes into a file as the API has it', async () => {
    await go('/audit');
    await page.getByLabel('When', { exact: true }).selectOption('between');
    const to = page.getByLabel('To', { exact: true });
    await to.fill('2020-01-01T00:00');
    await page.getByText('No entry fits these filters').waitFor();
    expect(new URL(page.url()).searchParams.get('to')).toMatch(/^20(19|20)-\d\d-\d\dT\d\d:00:00\.000Z$/);
    await pages.expectClean(page);
    await to.fill('');
    // An operator sees those of other tenants too.
    await page
      .getByRole('button', { name: /^Policy created/ })
      .first()
      .waitFor();
    await page.getByLabel('When', { exact: true }).selectOption('7d');
    expect(page.url()).toContain('since=7d');
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export CSV' }).click()]);
    const text = await readFile(await file.path(), 'utf8');
    const admin = new HttpCaller(system.gateway.url, key);
    const { events } = (await admin.get('/audit?scope=all&limit=1000')).as(auditPage);
    expect(text.split('\r\n')).toHaveLength(events.length + 2);
    for (const { at, action, subject } of events) expect(text).toContain(`${at},${action},${subject},`);
  });

  test('more than a page is read on, and an administrator of a tenant sees its own alone', async () => {
    for (let made = 0; made < 102; made++)
      await boss.request('/policies/many', { method: 'PUT', json: { when: 'false', then: 'deny', message: `Change ${made}.` } });
    await go('/audit?action=policy.update&subject=many');
    await page.getByText('The last 100 entries').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('101 entries').waitFor();
    await using other = await ConsolePages.open(browser, system.gateway.url);
    const own = await other.signedIn(await system.tenant.key({ scopes: ['tools:read', 'tenant:admin'] }), '/audit?scope=all');
    await own
      .getByRole('button', { name: /^Policy changed many/ })
      .first()
      .waitFor();
    expect(await own.getByText('All tenants').count()).toBe(0);
    await using users = await ConsolePages.open(browser, system.gateway.url);
    const none = await users.signedIn(await system.tenant.key({}), '/audit');
    await none.getByRole('heading', { level: 1, name: 'Your key does not open this screen' }).waitFor();
    expect(await none.getByRole('navigation').getByRole('link', { name: 'Audit' }).count()).toBe(0);
  });

  test('by keyboard, on a phone and on a wide screen, in the dark and in Chinese', async () => {
    await using own = await ConsolePages.open(browser, system.gateway.url, { language: 'zh-CN', theme: 'dark' });
    const dark = await own.signedIn(key);
    await dark.keyboard.press('Control+k');
    const marked = dark.getByRole('option', { selected: true });
    for (const [key, name] of [
      ['ArrowDown', '调用'],
      ['ArrowUp', '总览'],
      ['ArrowDown', '调用'],
    ] as const) {
      await dark.keyboard.press(key);
      expect(await marked.textContent()).toContain(name);
    }
    await own.expectClean(dark);
    await dark.keyboard.press('Enter');
    await dark.getByRole('heading', { level: 1, name: '调用' }).waitFor();
    await dark.keyboard.press('Control+k');
    await dark.keyboard.type('审计');
    await dark.keyboard.press('Enter');
    await dark.getByRole('heading', { level: 1, name: '审计' }).waitFor();
    for (const width of [390, 2_560]) {
      await dark.setViewportSize({ width, height: 844 });
      await go('/audit?action=policy.update&subject=heavy', dark);
      const row = dark.getByRole('button', { name: /^修改策略/ });
      await row.waitFor();
      expect(await dark.evaluate('document.querySelector(".main").scrollWidth <= document.querySelector(".main").clientWidth')).toBe(true);
      await own.expectClean(dark);
      await row.focus();
      await dark.keyboard.press('Enter');
      await dark.getByRole('dialog').locator('.added', { hasText: 'ask' }).waitFor();
      expect(await dark.evaluate('document.querySelector("dialog").scrollWidth <= document.querySelector("dialog").clientWidth')).toBe(
        true,
      );
      await own.expectClean(dark);
      await dark.keyboard.press('Escape');
      await dark.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });
});
