// Calls: forms, streams that survive, retries, cancelling, replaying, long lists, traces.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { startLabSystem, type LabSystem } from '../e2e/lab-system.js';
import { ConsolePages, journeyTimeoutMs, launchBrowser, shownWithin } from './console-browser.js';

jest.setTimeout(journeyTimeoutMs);

describe('the console of a system with tools that fail and wait', () => {
  let lab: LabSystem;
  let browser: Browser;
  let pages: ConsolePages;
  let page: Page;
  let key: string;
  let caller: HttpCaller;
  let orders = 0;
  beforeAll(async () => {
    [lab, browser] = await Promise.all([startLabSystem({ env: { RETRY_BASE_MS: '300' } }), launchBrowser()]);
    key = await lab.system.tenant.key({ scopes: ['tools:read', 'tools:write', 'stripe:links'] });
    caller = await lab.system.caller();
    pages = await ConsolePages.open(browser, lab.system.gateway.url);
    page = await pages.signedIn(key);
  }, startTimeoutMs * 2);
  afterAll(async () => {
    await pages?.[Symbol.asyncDispose]();
    await browser?.close();
    await lab?.[Symbol.asyncDispose]();
  });
  const go = (path: string) => page.goto(`${lab.system.gateway.url}/console${path}`);
  const newOrder = () => `journey-${++orders}`;
  const shownEvents = () => page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  const startSteps = async (steps: number, stepMs: number) => {
    const reply = await caller.with({ prefer: 'respond-async' }).post('/tools/lab_steps', { order: newOrder(), steps, step_ms: stepMs });
    const body: { readonly job_id: string } = JSON.parse(reply.text);
    return body.job_id;
  };

  test("every listed tool's form sends its own example unchanged", async () => {
    const reply = await caller.get('/tools');
    const {
      tools,
    }: {
      readonly tools: readonly {
        readonly name: string;
        readonly read_only: boolean;
        readonly examples: readonly { readonly input: unknown }[];
      }[];
    } = JSON.parse(reply.text);
    expect(tools.length).toBeGreaterThan(20);
    const sent = new Map<string, unknown>();
    await page.route(/\/tools\/[a-z_0-9]+(\?.*)?$/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent.set(new URL(route.request().url()).pathname.split('/').at(-1) ?? '', route.request().postDataJSON());
      return route.fulfill({ status: 200, json: { success: true } });
    });
    await go('/tools');
    for (const { name, read_only } of tools) {
      await page.evaluate(`history.pushState({}, '', '/console/tools/${name}'); dispatchEvent(new PopStateEvent('popstate'))`);
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      // What changes something is asked about.
      if (!read_only) {
        expect(sent.has(name)).toBe(false);
        await page
          .getByRole('dialog')
          .getByRole('button', { name: `Call ${name}` })
          .click();
      }
      await eventually(() => sent.has(name), { ...shownWithin, what: `the call of ${name}` });
    }
    await page.unroute(/\/tools\/[a-z_0-9]+(\?.*)?$/);
    for (const { name, examples } of tools) expect({ name, input: sent.get(name) }).toEqual({ name, input: examples[0]?.input ?? {} });
    expect(pages.faults).toEqual([]);
  });

  test('what the gateway says against a parameter stands at its field', async () => {
    await go('/tools/calc_metrics');
    await page.locator('[data-path=age]').fill('many');
    await page.locator('[data-path=height_cm]').fill('9');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    for (const path of ['age', 'height_cm']) {
      const field = page.locator('.field', { has: page.locator(`[data-path=${path}]`) });
      await field.locator('.fault').waitFor();
      expect(await page.locator(`[data-path=${path}]`).getAttribute('aria-invalid')).toBe('true');
    }
    expect(await page.locator('[data-path=weight_kg]').getAttribute('aria-invalid')).toBe('false');
    await pages.expectClean(page);
    await page.getByRole('radio', { name: 'JSON' }).check();
    await page.locator('.cm-content').waitFor();
    await pages.expectClean(page);
  });

  test('a stream goes on after a reload and after the death of the gateway, without losing or doubling an event', async () => {
    await go('/tools/lab_steps');
    await page.locator('[data-path=order]').fill(newOrder());
    await page.locator('[data-path=steps]').fill('30');
    await page.locator('[data-path=step_ms]').fill('300');
    await page.getByRole('radio', { name: 'Stream' }).check();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await eventually(async () => (await shownEvents().count()) >= 3, shownWithin);
    await page.reload();
    await eventually(async () => (await shownEvents().count()) >= 5, shownWithin);
    // The form is that of the call, and the call stands there once.
    expect(await page.locator('[data-path=steps]').inputValue()).toBe('30');
    expect(await page.getByRole('radio', { name: 'Stream' }).isChecked()).toBe(true);
    expect(await page.getByRole('link', { name: 'Open the call' }).count()).toBe(1);
    await lab.system.gateway.kill();
    await page
      .getByText('The gateway gives no answer')
      .waitFor({ timeout: 30_000 })
      .catch(() => undefined);
    await lab.system.gateway.start();
    await page.getByText('Succeeded').waitFor({ timeout: 40_000 });
    const texts = await shownEvents().allTextContents();
    const steps = texts.flatMap((text) => /Step (\d+) of 30/.exec(text)?.[1] ?? []).map(Number);
    expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
    expect(steps.at(-1)).toBe(30);
    await pages.expectClean(page);
  });

  test('a call with failures shows each attempt, its delay and the final code', async () => {
    await caller.call('lab_fail', { order: newOrder(), kind: 'network', times: 100 });
    await go('/calls?tool=lab_fail');
    await page.getByRole('link', { name: 'lab_fail' }).first().click();
    await page.getByText('Ended with an error').waitFor();
    const texts = (await shownEvents().allTextContents()).join('\n');
    expect(texts).toContain('NETWORK_ERROR');
    expect(texts).toMatch(/next attempt after .*retry 1 of \d/s);
    expect(texts).toMatch(/Attempt 2/);
    await pages.expectClean(page);
  });

  test('a running call is cancelled from the list, together with others', async () => {
    const ids = [await startSteps(500, 100), await startSteps(500, 100)];
    await go('/calls?tool=lab_steps&state=active');
    for (const id of ids) await page.locator(`[data-job="${id}"]`).waitFor();
    await pages.expectClean(page);
    await page.getByLabel('Select all open calls').check();
    await page.getByRole('button', { name: 'Cancel 2 calls' }).click();
    for (const id of ids) await page.locator(`[data-job="${id}"]`).getByText('Cancelled', { exact: true }).waitFor();
  });

  test('a call is replayed with other parameters, and names its origin', async () => {
    await caller.call('lab_answer', { query: 'first', answer: 'one' });
    await go('/calls?tool=lab_answer');
    await page.getByRole('link', { name: 'lab_answer' }).first().click();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('dialog').locator('[data-path=answer]').fill('二');
    await pages.expectClean(page);
    const before = page.url();
    await page.getByRole('button', { name: 'Make the new call' }).click();
    await page.waitForURL((url) => url.href !== before);
    await page.getByText('Replay of').waitFor();
    await page.getByRole('tab', { name: 'Result' }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('"二"').waitFor();
    await page
      .locator('.facts')
      .getByRole('link', { name: new URL(before).pathname.split('/').at(-1) ?? '' })
      .click();
    await page.waitForURL(before);
  });

  test('new calls wait above the list until they are asked for, and filters are in the address', async () => {
    await go('/calls?tool=lab_answer');
    const rows = page.locator('[data-job]');
    await rows.first().waitFor();
    const first = await rows.first().getAttribute('data-job');
    await caller.call('lab_answer', { query: 'second', answer: 'two' });
    await page.getByRole('button', { name: /\d+ new/ }).waitFor();
    expect(await rows.first().getAttribute('data-job')).toBe(first);
    await page.getByRole('button', { name: /\d+ new/ }).click();
    await eventually(async () => (await rows.first().getAttribute('data-job')) !== first);
    await page.getByLabel('Outcome').selectOption('succeeded');
    await page.waitForURL(/outcome=succeeded/);
    const shared = await pages.page(new URL(page.url()).pathname.replace('/console', '') + new URL(page.url()).search);
    await shared.locator('[data-job]').first().waitFor();
    await shared.close();
  });

  test('a list of several pages draws the rows in sight alone, and reads on when its end is reached', async () => {
    const { metadata } = (await caller.call('lab_answer', { query: 'oldest of many', answer: 'x' })).envelope;
    await Promise.all(Array.from({ length: 220 }, (_, at) => caller.call('lab_answer', { query: `many ${at}`, answer: 'x' })));
    await go('/calls?tool=lab_answer');
    const rows = page.locator('[data-job]');
    await rows.first().waitFor();
    const list = page.getByRole('list', { name: 'Calls' });
    await list.focus();
    await eventually(async () => {
      await page.keyboard.press('End');
      return page.locator(`[data-job="${String(metadata['job_id'])}"]`).isVisible();
    }, shownWithin);
    expect(await rows.count()).toBeLessThan(80);
    await pages.expectClean(page);
    // Whoever has looked at a call goes on where the list was left, by its own arrow and by the browser's.
    const oldest = page.locator(`[data-job="${String(metadata['job_id'])}"]`);
    for (const back of [() => page.getByRole('button', { name: 'Calls' }).click(), () => page.goBack()]) {
      await oldest.getByRole('link').click();
      await page.getByRole('heading', { level: 1, name: 'lab_answer' }).waitFor();
      await back();
      await oldest.waitFor();
      expect(await oldest.isVisible()).toBe(true);
    }
  });

  test('j and k walk through the list from anywhere but a field, and Enter opens the call', async () => {
    await go('/calls');
    const rows = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
    await eventually(async () => (await rows.count()) > 3, shownWithin);
    const place = () => page.evaluate(`document.activeElement.closest('[aria-posinset]')?.getAttribute('aria-posinset') ?? null`);
    for (const [key, at] of [
      ['j', '1'],
      ['j', '2'],
      ['j', '3'],
      ['k', '2'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await place()).toBe(at);
    }
    const filter = page.getByRole('combobox', { name: 'Tool' });
    await filter.pressSequentially('jk');
    expect(await filter.inputValue()).toBe('jk');
    await filter.fill('');
    await rows.nth(1).getByRole('link').focus();
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/calls\/inv_/);
    await pages.expectClean(page);
  });

  test('former addresses of calls lead to them with what was asked, and views that were saved there are kept', async () => {
    const { metadata } = (await caller.call('lab_answer', { query: 'linked', answer: 'four' })).envelope;
    const id = String(metadata['job_id']);
    const views = JSON.stringify([{ name: 'my answers', filters: { tool: 'lab_answer' } }]);
    await page.evaluate(`localStorage.setItem('invoq-console-run-views', ${JSON.stringify(views)})`);
    const at = () => page.url().slice(lab.system.gateway.url.length);
    await go(`/runs/${id}?tab=trace`);
    await page.getByRole('list', { name: 'Spans' }).waitFor();
    expect(at()).toBe(`/console/calls/${id}?tab=trace`);
    await go('/runs?tool=lab_answer&state=completed');
    await page.locator(`[data-job="${id}"]`).waitFor();
    expect(at()).toBe('/console/calls?tool=lab_answer&state=completed');
    await page.getByRole('button', { name: 'my answers', exact: true }).click();
    await page.waitForURL((url) => url.search === '?tool=lab_answer');
    await page.getByRole('button', { name: 'Forget the view my answers' }).click();
    await page.reload();
    await page.locator(`[data-job="${id}"]`).waitFor();
    expect(await page.getByRole('button', { name: 'my answers', exact: true }).count()).toBe(0);
  });

  test('the waterfall shows the spans of the trace', async () => {
    const { metadata } = (await caller.call('lab_answer', { query: 'traced', answer: 'three' })).envelope;
    await go(`/calls/${String(metadata['job_id'])}?tab=trace`);
    const rows = page.getByRole('list', { name: 'Spans' }).locator('[data-span]');
    await rows.nth(1).waitFor();
    const reply = await caller.get(`/traces/${String(metadata['trace_id'])}`);
    const { spans }: { readonly spans: readonly { readonly span_id: string }[] } = JSON.parse(reply.text);
    const shown = await rows.evaluateAll((elements) => elements.map((element) => element.getAttribute('data-span') ?? ''));
    expect(spans.map(({ span_id }) => span_id)).toEqual(expect.arrayContaining(shown));
    expect(shown.length).toBeGreaterThan(1);
    await rows.first().click();
    // Its own time alone is in view then, at the axis too, and all of it again.
    const axis = page.locator('.span-axis');
    const whole = await axis.textContent();
    await rows.last().click();
    await page.getByRole('button', { name: 'Zoom to this span' }).click();
    expect(await axis.textContent()).not.toBe(whole);
    await page.getByRole('button', { name: 'Show the whole time' }).click();
    expect(await axis.textContent()).toBe(whole);
    await page.getByRole('checkbox', { name: 'Only what the call waited for' }).check();
    await eventually(async () => (await rows.count()) === (await page.locator('.waited').count()));
    await pages.expectClean(page);
  });
});
