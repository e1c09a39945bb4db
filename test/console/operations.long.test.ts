// What waits for people, what is called later, many calls at once, and who is told of it.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { batchPage, startedBatch } from '#lib/contracts';
import { eventually, HttpCaller, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { ConsolePages, journeyTimeoutMs, launchBrowser, shownWithin } from './console-browser.js';
import { startSales, type Sales } from './own-sales.js';

jest.setTimeout(journeyTimeoutMs);

describe('the console of a system whose calls wait, come later, and come in numbers', () => {
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
    pages = await ConsolePages.open(browser, system.gateway.url);
    page = await pages.signedIn(key);
  }, startTimeoutMs * 2);
  afterAll(async () => {
    await pages?.[Symbol.asyncDispose]();
    await browser?.close();
    await sales?.[Symbol.asyncDispose]();
    await system?.[Symbol.asyncDispose]();
  });
  const go = (path: string) => page.goto(`${system.gateway.url}/console${path}`);
  const dialog = () => page.getByRole('dialog');
  const begin = (item: string) => user.with({ prefer: 'respond-async' }).post('/tools/order_item', { item, count: 9 });

  test('a call waits for an approval, is counted, and runs with changed arguments; another is declined with a reason', async () => {
    await admin.request('/policies/gold', {
      method: 'PUT',
      json: { when: 'args.item == "gold"', then: 'ask', message: 'Is so much gold needed?' },
    });
    // Rules of another process are known a moment later.
    await eventually(async () => (await begin('gold')).text.includes('resting'), shownWithin);
    await go('/requests');
    const link = page.getByRole('link', { name: /Input requests/ });
    await link.getByRole('img', { name: '1 wait for you' }).waitFor();
    await pages.expectClean(page);
    await page.getByRole('button', { name: /^Decide order_item/ }).click();
    await dialog().getByText('Is so much gold needed?').waitFor();
    await dialog().getByRole('button', { name: 'Change the arguments' }).click();
    await dialog().locator('[data-path=count]').fill('2');
    await pages.expectClean(page);
    // What was typed is asked about.
    await page.keyboard.press('Escape');
    await dialog().getByText('What you typed is not saved.').waitFor();
    await dialog().getByRole('button', { name: 'Keep editing' }).click();
    await dialog().locator('[data-path=count]').fill('200');
    await dialog().getByRole('button', { name: 'Approve with changed arguments' }).click();
    await dialog()
      .getByText(/at most 99|must be/)
      .waitFor();
    await dialog().locator('[data-path=count]').fill('2');
    await dialog().getByRole('button', { name: 'Approve with changed arguments' }).click();
    await page.getByText('Approved. The call goes on.').waitFor();
    await eventually(async () => sales.ordered.includes('2 gold'), shownWithin);
    await page.getByText('Nothing waits for you').waitFor();

    await begin('gold');
    await page.reload();
    await page.getByRole('button', { name: /^Decide order_item/ }).click();
    await dialog().getByLabel('Reason').fill('Too dear.');
    await dialog().getByRole('button', { name: 'Decline the call' }).click();
    await page.getByText('Declined. The call has ended.').waitFor();
    await page.getByLabel('State').selectOption('declined');
    await page.getByRole('button', { name: /^Open order_item/ }).click();
    await dialog().getByText('Too dear.').waitFor();
    await pages.expectClean(page);
    await admin.delete('/policies/gold');
  });

  test('the question of a tool is answered by its caller, in a form', async () => {
    await using own = await ConsolePages.open(browser, system.gateway.url, { language: 'zh-CN', theme: 'dark' });
    await begin('shirt');
    const mine = await own.signedIn(await system.tenant.key({}), '/requests');
    await mine.getByRole('button', { name: /^处理 order_item/ }).click();
    await mine.getByRole('dialog').locator('[data-path=size]').selectOption({ label: 'm' });
    await own.expectClean(mine);
    await mine.getByRole('button', { name: '提交回答' }).click();
    await mine.getByText('已回答，调用继续执行。').waitFor();
    await eventually(async () => sales.ordered.includes('9 shirt m'), shownWithin);
    await own.expectClean(mine);
  });

  test('a schedule is previewed, made, run, paused, changed and deleted', async () => {
    await go('/schedules');
    await page.getByText('No schedules yet').waitFor();
    await pages.expectClean(page);
    await page.getByRole('button', { name: 'New schedule' }).click();
    await dialog().getByLabel('Name').fill('nightly');
    await dialog().getByLabel('Tool').fill('order_item');
    await dialog().locator('[data-path=item]').fill('cup');
    await dialog().getByRole('textbox', { name: 'Cron' }).fill('30 2 * * *');
    await dialog().getByLabel('Time zone').fill('Europe/Berlin');
    const moments = dialog().getByRole('region', { name: 'Next calls' }).getByRole('listitem');
    await eventually(async () => (await moments.count()) === 5, shownWithin);
    await moments
      .first()
      .getByText(/02:30:00/)
      .waitFor();
    await pages.expectClean(page);
    await dialog().getByRole('textbox', { name: 'Cron' }).fill('soon');
    await dialog()
      .getByText(/five or six fields/)
      .waitFor();
    await dialog().getByRole('textbox', { name: 'Cron' }).fill('0 3 * * *');
    await dialog().getByRole('button', { name: 'Create schedule' }).click();
    await page.getByText('nightly is saved.').waitFor();
    const row = page.getByRole('row', { name: /nightly/ });
    await row.getByRole('button', { name: 'Run now: nightly' }).click();
    await eventually(async () => sales.ordered.includes('1 cup'), shownWithin);
    await row.getByRole('button', { name: 'Pause nightly' }).click();
    await row.getByText('Paused').waitFor();
    await row.getByRole('link', { name: 'nightly' }).click();
    await page.getByText('by hand').waitFor();
    await page
      .getByRole('row', { name: /by hand/ })
      .getByText('Completed')
      .waitFor();
    await pages.expectClean(page);
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog().getByText('By interval').click();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('every 15 min').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await pages.expectClean(page);
    await dialog().getByRole('button', { name: 'Delete nightly' }).click();
    await page.getByText('No schedules yet').waitFor();
  });

  test('a batch is followed, its failed calls found and replayed; open calls are counted and cancelled', async () => {
    const calls = Array.from({ length: 12 }, (_, index) => ({
      id: `c${index}`,
      name: 'order_item',
      arguments: { item: index % 4 === 0 ? 'sold out' : 'cup' },
    }));
    const { batch_id } = (await admin.post('/batches', { calls })).as(startedBatch);
    await go('/batches');
    await page.getByRole('link', { name: batch_id }).click();
    await page.getByRole('meter', { name: '12 of 12' }).waitFor();
    await page.getByText('With an error 3').click();
    const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem');
    await eventually(async () => (await results.count()) === 3, shownWithin);
    await pages.expectClean(page);
    await page.getByRole('button', { name: 'Replay failed calls' }).click();
    await dialog().getByRole('button', { name: 'Replay 3 calls' }).waitFor();
    await pages.expectClean(page);
    await dialog().getByRole('button', { name: 'Replay 3 calls' }).click();
    await page.waitForURL((url) => !url.href.includes(batch_id));
    await page.getByRole('meter', { name: '3 of 3' }).waitFor();
    expect((await admin.get('/batches')).as(batchPage).batches).toHaveLength(2);

    await admin.post('/batches', { calls: [{ name: 'order_item', arguments: { item: 'slow' } }] });
    await page.getByRole('link', { name: 'All batches' }).click();
    await page.getByRole('cell', { name: 'Running' }).waitFor();
    await eventually(async () => (await admin.get('/jobs?state=active')).text.includes('order_item'), shownWithin);
    await page.getByRole('button', { name: 'Cancel open calls' }).click();
    await dialog().getByLabel('Tool').fill('order_item');
    await pages.expectClean(page);
    await dialog().getByRole('button', { name: 'Cancel 1 call' }).click();
    await page.getByText('1 call is cancelled.').waitFor();
  });

  test('a webhook is made, its secret shown once, tested, disabled, taken up again, rotated and deleted', async () => {
    let answer = 204;
    const told: string[] = [];
    await using receiver = createServer((request, response) => {
      told.push(String(request.headers['webhook-id']));
      request.resume();
      response.writeHead(answer).end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const address = receiver.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await go('/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await dialog().getByLabel('Address').fill(`http://127.0.0.1:${port}/told`);
    await dialog().getByLabel('Filter').fill('data.no way');
    await dialog().getByRole('button', { name: 'Create webhook' }).click();
    await dialog().locator('.fault').first().waitFor();
    await pages.expectClean(page);
    await dialog().getByLabel('Filter').fill('data.tool_name == "order_item"');
    await dialog().getByRole('button', { name: 'Create webhook' }).click();
    const secret = (await page.locator('[data-secret=once]').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await dialog().getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('link', { name: /\/told$/ }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/The test arrived: status 204/).waitFor();
    const first = page.getByRole('row', { name: /webhook\.test/ });
    await first.getByText('Delivered').waitFor();
    answer = 500;
    await user.post('/tools/order_item', { item: 'sold out' });
    const failing = page.getByRole('row', { name: /call\.failed/ });
    await failing.getByText('500').waitFor();
    await pages.expectClean(page);
    answer = 204;
    await failing.getByRole('button', { name: 'call.failed' }).click();
    await pages.expectClean(page);
    await dialog().getByRole('button', { name: 'Send again' }).click();
    await failing.getByText('Delivered').waitFor();
    // It may have been tried again by itself meanwhile, under the same id.
    expect(told.length).toBeGreaterThanOrEqual(3);
    expect(new Set(told.slice(1)).size).toBe(1);

    await page.getByRole('button', { name: 'Disable' }).click();
    await dialog().getByRole('button', { name: 'Disable webhook' }).click();
    await page.getByText('nothing is sent').waitFor();
    await page.getByRole('button', { name: 'Enable again' }).click();
    await page.getByText('It is enabled.').waitFor();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog().getByRole('button', { name: 'Rotate secret' }).click();
    expect(await page.locator('[data-secret=once]').textContent()).not.toBe(secret);
    await dialog().getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('The secret before still signs until').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog().getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await pages.expectClean(page);
  });
});
