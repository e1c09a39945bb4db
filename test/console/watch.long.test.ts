// What an operator looks at: Home, Errors, Calls, one call, pauses, accounts. Each figure is the gateway's.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { activitySchema, callSums, errorsPage, historyPage, waitingLineList } from '#lib/contracts';
import { eventually, HttpCaller, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { ConsolePages, journeyTimeoutMs, launchBrowser, shownWithin } from './console-browser.js';
import { startSales, type Sales } from './own-sales.js';

jest.setTimeout(journeyTimeoutMs);

/** What people do not notice. */
const mostShift = 0.02;
/** So long a screen asks for the last of what it shows. */
const settledMs = 1_500;
const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

describe('the console of a system in which calls fail, are refused, and wait', () => {
  let system: System;
  let browser: Browser;
  let sales: Sales;
  let pages: ConsolePages;
  let page: Page;
  let admin: HttpCaller;
  let user: HttpCaller;
  beforeAll(async () => {
    [system, browser] = await Promise.all([startSystem(), launchBrowser()]);
    sales = await startSales(system);
    const key = await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] });
    admin = new HttpCaller(system.gateway.url, key);
    user = await system.caller();
    for (let n = 0; n < 30; n++) await user.call('calc_metrics', { ...metrics, weight_kg: 60 + n });
    for (let n = 0; n < 12; n++) await user.call('calc_metrics', { ...metrics, height_cm: 'tall' });
    for (let n = 0; n < 5; n++) await user.call('no_such_tool', {});
    for (let n = 0; n < 4; n++) await user.call('order_item', { item: 'sold out' });
    for (let n = 0; n < 3; n++) await admin.call('user_profile_lookup', { user_id: `stranger_${n}` });
    pages = await ConsolePages.open(browser, system.gateway.url);
    page = await pages.signedIn(key);
  }, startTimeoutMs * 3);
  afterAll(async () => {
    await pages?.[Symbol.asyncDispose]();
    await browser?.close();
    await sales?.[Symbol.asyncDispose]();
    await system?.[Symbol.asyncDispose]();
  });
  const go = (path: string) => page.goto(`${system.gateway.url}/console${path}`);
  /** The figure that stands below a name. */
  const figure = async (name: string) => {
    const text = await page
      .locator('.stat', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
      .locator('dd')
      .first()
      .innerText();
    return text.split('\n')[0]?.trim();
  };

  test('each figure of Errors is that of the API, callers and system apart, refusals at the gateway and own workers included', async () => {
    const errors = await eventually(async () => {
      const read = (await admin.get('/errors?scope=all&limit=1000')).as(errorsPage);
      return read.total.caller >= 20 && read.total.system >= 4 ? read : undefined;
    }, shownWithin);
    await go('/errors');
    await page.getByText('Errors over time').waitFor();
    expect([await figure('System errors'), await figure("Callers' mistakes")]).toEqual([
      String(errors.total.system),
      String(errors.total.caller),
    ]);
    for (const cause of ['system', 'caller'] as const) {
      const region = page.getByRole('region', { name: cause === 'system' ? 'System errors' : "Callers' mistakes" });
      const shown = await region.locator('tbody tr td:nth-child(4)').allInnerTexts();
      expect(shown).toEqual(errors.errors.filter((kind) => kind.cause === cause).map(({ count }) => String(count)));
    }
    const failed = page.getByRole('row', { name: /^EXECUTION_ERROR/ });
    await failed.getByRole('button', { name: 'Samples of EXECUTION_ERROR of order_item' }).click();
    await pages.expectClean(page);
    await page.getByRole('link', { name: 'Open the call' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'order_item' }).waitFor();
    await page.getByText('The tool failed').first().waitFor();
    await page.getByText('user_001').first().waitFor();
    await page.getByRole('list', { name: 'Where the time went' }).waitFor();
    await pages.expectClean(page);
    // A refusal became no call: its trace is there.
    await go('/errors?cause=caller&tool=unknown&since=15m');
    await page.getByRole('button', { name: /^Samples of TOOL_NOT_FOUND/ }).click();
    await page.getByRole('link', { name: 'Refused; open its trace' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Trace' }).waitFor();
    await pages.expectClean(page);
    await go('/errors?code=TIMEOUT');
    await page.getByText('None in the last hour meets the filters').first().waitFor();
  });

  test('each figure of Home is that of the API; it says what is wrong, and never that all is well while calls fail', async () => {
    const { sums } = (await admin.get('/admin/activity')).as(activitySchema);
    const { calls, errors, system_errors: faults } = sums.minutes;
    const all = Object.values(errors).reduce((sum, count) => sum + count, 0);
    await go('/?range=minutes');
    const verdict = page.getByRole('region', { name: 'How it stands' });
    await verdict.getByRole('link', { name: `${faults} system errors` }).waitFor();
    await verdict.getByText(`among ${calls} calls in 3 h.`).waitFor();
    expect(await verdict.getByText('Everything works').count()).toBe(0);
    expect([await figure('Calls'), await figure('System errors'), await figure("Callers' mistakes")]).toEqual(
      [calls, faults, all - faults].map(String),
    );
    await pages.expectClean(page);
    await verdict.getByRole('link', { name: /system errors/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
    expect(new URL(page.url()).search).toContain('since=6h');
  });

  test('each figure of Usage is that of the API', async () => {
    const read = async () => (await admin.get('/usage/calls?scope=tenant&by=tool')).as(callSums).sums;
    const sums = await eventually(async () => {
      const rows = await read();
      return rows.reduce((sum, { calls }) => sum + calls, 0) >= 37 ? rows : undefined;
    }, shownWithin);
    await go('/usage');
    await page.getByRole('cell', { name: 'calc_metrics' }).waitFor();
    const total = (name: 'calls' | 'failed') => String(sums.reduce((sum, row) => sum + row[name], 0));
    expect([await figure('Calls'), await figure('Failed')]).toEqual([total('calls'), total('failed')]);
    for (const { tool_name, calls } of sums) {
      const cells = page.getByRole('row', { name: new RegExp(`^${tool_name}`) }).getByRole('cell');
      expect([tool_name, await cells.nth(1).innerText()]).toEqual([tool_name, String(calls)]);
    }
  });

  test('calls are found by outcome, tenant and relative time, also in the history', async () => {
    const rows = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
    await go('/calls?outcome=refused&since=1h');
    await eventually(async () => (await rows.count()) === 3, shownWithin);
    await page.getByLabel('Outcome').selectOption('failed');
    await eventually(async () => (await rows.count()) === 4, shownWithin);
    expect(new URL(page.url()).search).toContain('since=1h');
    await pages.expectClean(page);
    await page.getByLabel('Accepted').selectOption('30d');
    await page.getByText('From the history').waitFor();
    await eventually(async () => (await rows.count()) === 4, shownWithin);
    await pages.expectClean(page);
    await go('/calls?tenant=nobody');
    await page.getByText('No call fits these filters').waitFor();
  });

  test('a call that comes to the history a moment after its end comes into the list from there', async () => {
    const from = new Date(Date.now() - 86_400_000).toISOString();
    const read = async () => (await admin.get(`/history?scope=all&outcome=failed&from=${from}`)).as(historyPage);
    const { calls, ...rest } = await eventually(async () => {
      const known = await read();
      return known.calls.length === 4 ? known : undefined;
    }, shownWithin);
    let asked = 0;
    // As if the newest had not been written yet.
    await page.route('**/history?**', async (route) =>
      asked++ === 0 ? route.fulfill({ json: { ...rest, calls: calls.slice(1) } }) : route.continue(),
    );
    await go('/calls?outcome=failed&since=30d');
    const rows = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
    await eventually(async () => (await rows.count()) === 4, shownWithin);
    expect(asked).toBeGreaterThan(1);
    await page.unroute('**/history?**');
  });

  test('a tool is paused, Home tells it, its calls wait, and go on when the pause ends', async () => {
    await go('/pauses');
    await page.getByText('Nothing is paused').waitFor();
    await pages.expectClean(page);
    await page.getByRole('button', { name: 'New pause' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('stocktaking');
    await dialog.getByRole('combobox', { name: 'Tool' }).fill('order_item');
    await dialog.getByLabel('Reason').fill('The shelves are counted');
    await pages.expectClean(page);
    await dialog.getByRole('button', { name: 'Pause order_item' }).click();
    await page.getByText('The pause stocktaking is in force.').waitFor();
    await eventually(
      async () => (await user.with({ prefer: 'respond-async' }).post('/tools/order_item', { item: 'cup' })).text.includes('"paused"'),
      shownWithin,
    );
    await go('/');
    await page.getByRole('region', { name: 'How it stands' }).getByText('The shelves are counted').waitFor();
    await go('/pauses');
    await page
      .getByRole('row', { name: /stocktaking/ })
      .getByRole('button', { name: 'End pause stocktaking' })
      .click();
    await pages.expectClean(page);
    await dialog.getByRole('button', { name: 'End pause stocktaking' }).click();
    await page.getByText('Nothing is paused').waitFor();
    await eventually(async () => sales.ordered.includes('1 cup'), shownWithin);
  });

  test('a flow is made, its lines and each call that waits say for whom, and its end lets them go', async () => {
    await go('/flows');
    await page.getByText('No flows yet').waitFor();
    await pages.expectClean(page);
    await page.getByRole('button', { name: 'New flow' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('shelves');
    await dialog.getByRole('combobox', { name: 'Tool' }).fill('order_item');
    await dialog.getByLabel('Key').fill('args.');
    await dialog.getByLabel('At most at a time').fill('1');
    await dialog.getByRole('button', { name: 'Create flow' }).click();
    await dialog.locator('.fault').first().waitFor();
    await dialog.getByLabel('Key').fill('args.item');
    await pages.expectClean(page);
    await dialog.getByRole('button', { name: 'Create flow' }).click();
    await page.getByText('The flow shelves is in force.').waitFor();
    const later = user.with({ prefer: 'respond-async' });
    for (let n = 0; n < 4; n++) await later.post('/tools/order_item', { item: 'slow', count: n + 1 });
    const line = page.getByRole('region', { name: 'Lines in which calls wait' }).getByRole('row', { name: /item slow/ });
    await line.getByText('1 at a time').waitFor();
    const { lines } = (await admin.get('/flow-lines')).as(waitingLineList);
    expect(lines).toMatchObject([{ flow: 'shelves', of: 'item slow', running: 1 }]);
    await pages.expectClean(page);
    await line.getByRole('link', { name: /Open the next call of item slow/ }).click();
    await page.getByRole('status').getByText('waits for 1 other of item slow').waitFor();
    await pages.expectClean(page);
    await go('/calls?state=resting');
    await page
      .getByRole('list', { name: 'Calls' })
      .getByText(/^waits for \d others? of item slow$/)
      .first()
      .waitFor();
    await pages.expectClean(page);
    await using own = await ConsolePages.open(browser, system.gateway.url, { language: 'zh-CN', theme: 'dark' });
    const phone = await own.signedIn(await system.tenant.key({ userId: null, scopes: ['*'] }), '/flows');
    await phone.setViewportSize({ width: 390, height: 844 });
    await phone.getByRole('region', { name: '有调用等待的队列' }).getByText('item slow').waitFor();
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await own.expectClean(phone);
    await go('/flows');
    await page.getByRole('button', { name: 'Delete flow shelves' }).click();
    await dialog.getByRole('button', { name: 'Delete flow shelves' }).click();
    await page.getByText('No flows yet').waitFor();
    await page.getByText('No call waits for another one.').waitFor();
    expect((await user.post('/jobs/cancel', { tool: 'order_item' })).status).toBe(200);
  });

  test('a provider is set up and deleted; nobody has an account there', async () => {
    await go('/providers');
    await page.getByRole('button', { name: 'New provider' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('github');
    await dialog.getByLabel('Client id').fill('of-the-test');
    await dialog.getByLabel('Client secret').fill('very-secret');
    await pages.expectClean(page);
    await dialog.getByRole('button', { name: 'Create provider' }).click();
    await page.getByText('The provider github is saved.').waitFor();
    expect(await page.content()).not.toContain('very-secret');
    await pages.expectClean(page);
    await go('/connections?scope=tenant');
    await page.getByText('No account is connected').waitFor();
    await page.getByRole('button', { name: 'Connect an account' }).click();
    await dialog.getByLabel('Provider').fill('nowhere');
    await dialog.getByRole('button', { name: 'Go on to nowhere' }).click();
    await dialog.getByRole('alert').waitFor();
    await pages.expectClean(page);
    await go('/providers');
    await page.getByRole('button', { name: 'Delete provider github' }).click();
    await dialog.getByRole('button', { name: 'Delete provider github' }).click();
    await page.getByText('No providers yet').waitFor();
  });

  test.each([1_440, 390])('no screen moves what it shows or squeezes it, at a width of %i', async (width) => {
    await go('/');
    await page.locator('nav a').first().waitFor();
    const links = await page.locator('nav a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    expect(links.length).toBeGreaterThan(15);
    const size = page.viewportSize();
    await page.setViewportSize({ width, height: 900 });
    const moved: string[] = [];
    const squeezed: string[] = [];
    for (const link of links) {
      await page.goto(new URL(link, system.gateway.url).href);
      await page.locator('.screen').waitFor();
      await page.waitForTimeout(settledMs);
      // No worker of the memory is there: what its screen reads stays on its way.
      const ready = page
        .locator('.loading')
        .first()
        .waitFor({ state: 'detached', timeout: settledMs * 3 });
      await ready.catch(() => undefined);
      const shift = await pages.shifted(page);
      if (shift > mostShift) moved.push(`${link}: ${shift.toFixed(3)}`);
      if (width === 390) squeezed.push(...(await pages.squeezed(page)).map((one) => `${link} ${one}`));
    }
    if (size) await page.setViewportSize(size);
    expect(moved).toEqual([]);
    expect(squeezed).toEqual([]);
  });

  test('on a phone and in Chinese, dark, the same screens are whole and clean', async () => {
    await using own = await ConsolePages.open(browser, system.gateway.url, { language: 'zh-CN', theme: 'dark' });
    const key = await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] });
    const phone = await own.signedIn(key, '/errors');
    await phone.setViewportSize({ width: 390, height: 844 });
    for (const path of ['/', '/errors', '/calls', '/flows', '/pauses', '/providers', '/connections']) {
      await phone.goto(`${system.gateway.url}/console${path}`);
      await phone.locator('.panel').first().waitFor();
      // What stands below something that loads is not there yet, for nobody.
      await phone.locator('.loading').first().waitFor({ state: 'detached' });
      expect([path, await phone.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390]);
      await own.expectClean(phone);
    }
    // A row has two lines: also who called, how it ended, and how long it took.
    await phone.goto(`${system.gateway.url}/console/calls?outcome=refused`);
    const row = phone.locator('[data-job]').first();
    await row.getByText('USER_NOT_FOUND').waitFor();
    const [whole, ...parts] = await Promise.all(
      [row, ...(await row.locator(':scope > *:visible').all())].map(async (one) => one.boundingBox()),
    );
    expect(parts).toHaveLength(7);
    for (const part of parts) {
      expect(part?.y).toBeGreaterThanOrEqual(whole?.y ?? Infinity);
      expect((part?.y ?? Infinity) + (part?.height ?? 0)).toBeLessThanOrEqual((whole?.y ?? 0) + (whole?.height ?? 0));
    }
  });
});
