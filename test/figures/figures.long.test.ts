// Ten thousand mixed calls, and every figure of the APIs and of the console beside what their callers have counted.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  activitySchema,
  batch,
  budgetList,
  callSums,
  webhookDeliveryPage,
  errorsPage,
  historyPage,
  usageSchema,
  type PastCall,
} from '#lib/contracts';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import type { Browser, Page } from 'playwright-core';
import { ConsolePages, launchBrowser } from '../console/console-browser.js';
import { formatClock } from '../../apps/console/src/language/format.js';
import { count, time, total, type Screen } from './as-shown.js';
import { pointsOf } from './charts.js';
import { failedCalls, MixedCalls, one, quoteMicros, sumOf } from './mixed-calls.js';
import { listScreens } from './list-screens.js';
import { sumScreens } from './sum-screens.js';
import { Seen } from './seen.js';
import { expectShown } from './shown.js';

jest.setTimeout(600_000);

/** That the charts have, and those of them that are read: the calls were made in them. */
const [minutesShown, minutesRead] = [180, 40];

const asObject = (counts: ReadonlyMap<string, number>) => Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));

describe('After 10,000 mixed calls of two tenants', () => {
  let made: MixedCalls;
  let browser: Browser;
  const opened: ConsolePages[] = [];
  const pages = new Map<Screen['who'], { readonly page: Page; readonly seen: Seen }>();
  beforeAll(async () => {
    [made, browser] = await Promise.all([MixedCalls.made(), launchBrowser()]);
    const { url } = made.system.gateway;
    for (const [who, key] of [
      [undefined, made.adminKey],
      ['user', made.userKey],
      ['boss', made.bossKey],
    ] as const) {
      const profile = await ConsolePages.open(browser, url);
      opened.push(profile);
      const page = await profile.signedIn(key);
      pages.set(who, { page, seen: new Seen(page) });
    }
  }, startTimeoutMs * 6);
  afterAll(async () => {
    for (const profile of opened) await profile[Symbol.asyncDispose]();
    await browser?.close();
    await made?.[Symbol.asyncDispose]();
  });

  const errors = async (query: string, caller: HttpCaller = made.admin) => (await caller.get(`/errors?limit=1000&${query}`)).as(errorsPage);

  test('each error is counted under its tenant, tool and code, whoever refused it', async () => {
    expect(made.tally.total).toBe(10_000);
    const page = await eventually(
      async () => {
        const read = await errors('scope=all');
        return read.total.caller + read.total.system >= made.tally.allErrors() ? read : undefined;
      },
      { withinMs: 30_000 },
    );
    const counted = new Map<string, number>();
    for (const { tenant_id, tool_name, code, native_code, count } of page.errors)
      one(counted, [tenant_id, tool_name, code, native_code].join(' '), count);
    expect(asObject(counted)).toEqual(asObject(made.tally.errors));
    const codes = [
      'INVALID_PARAMS',
      'TOOL_NOT_FOUND',
      'PERMISSION_DENIED',
      'RATE_LIMITED',
      'QUOTA_EXCEEDED',
      'EXECUTION_ERROR',
      'RESOURCE_NOT_FOUND',
    ];
    expect(page.errors.map(({ code }) => code)).toEqual(expect.arrayContaining(codes));
    expect(page.total).toEqual({ caller: made.tally.allErrors() - made.tally.system, system: made.tally.system });
    expect(page.series.reduce((sum, { caller, system: ours }) => sum + caller + ours, 0)).toBe(made.tally.allErrors());
    // Other tests count their days in the same database.
    const tenants = [...new Set(page.errors.map(({ tenant_id }) => tenant_id))];
    const from = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const days = await Promise.all(tenants.map((tenant) => errors(`scope=all&tenant=${tenant}&from=${from}`)));
    const counts = days.map(({ total }) => total.caller + total.system);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(made.tally.allErrors());
  });

  test("a tenant's administrator sees what is of the tenant, and equal messages are one kind", async () => {
    const boss = await made.system.caller({ userId: 'boss', scopes: ['tenant:admin'] });
    const page = await errors('', boss);
    const own = [...made.tally.errors]
      .filter(([key]) => key.startsWith(`${made.system.tenant.id} `))
      .reduce((sum, [, count]) => sum + count, 0);
    expect(page.total.caller + page.total.system).toBe(own);
    const soldOut = page.errors.filter(({ native_code, code }) => code === 'SOLD_OUT' || native_code === 'SOLD_OUT');
    expect(soldOut).toMatchObject([{ count: 300, tool_name: 'make_quote', cause: 'caller', message: 'None of none # is left' }]);
    expect(soldOut[0]?.samples).toHaveLength(3);
    // One with each letter of a name that no contract has.
    expect(page.errors.filter(({ tool_name, code }) => tool_name === 'calc_metrics' && code === 'INVALID_PARAMS').length).toBeLessThan(30);
  });

  test('activity has each call and each error by tool', async () => {
    const { sums } = await eventually(
      async () => {
        const read = (await made.admin.get('/admin/activity')).as(activitySchema);
        return read.sums.minutes.calls >= made.tally.total ? read : undefined;
      },
      { withinMs: 30_000 },
    );
    const { by_tool, errors: byCode, ...whole } = sums.minutes;
    expect(whole).toMatchObject({ calls: made.tally.total, system_errors: made.tally.system });
    expect(Object.fromEntries(Object.entries(by_tool).map(([tool, { calls }]) => [tool, calls]))).toEqual(
      Object.fromEntries(made.tally.calls),
    );
    expect(Object.values(byCode).reduce((sum, count) => sum + count, 0)).toBe(made.tally.allErrors());
  });

  test('the sums have each call that ran, with the quantiles of all of them', async () => {
    const rows = await eventually(
      async () => {
        const { sums } = (await made.admin.get('/usage/calls?scope=all&by=tenant,tool')).as(callSums);
        const ours = sums.filter(({ tenant_id }) => tenant_id === made.system.tenant.id || tenant_id === made.other.id);
        return ours.reduce((sum, { calls }) => sum + calls, 0) >= sumOf(made.tally.ran) ? ours : undefined;
      },
      { withinMs: 60_000 },
    );
    expect(asObject(new Map(rows.map(({ tenant_id, tool_name, calls }) => [`${tenant_id} ${tool_name}`, calls])))).toEqual(
      asObject(made.tally.ran),
    );
    for (const row of rows) {
      const durations = (await past(row.tenant_id ?? '', row.tool_name ?? ''))
        .map(({ duration_ms }) => Math.max(1, duration_ms))
        .sort((a, b) => a - b);
      expect(durations).toHaveLength(row.calls);
      for (const [share, found] of [
        [0.5, row.p50_ms],
        [0.95, row.p95_ms],
        [0.99, row.p99_ms],
      ] as const) {
        const right = durations[Math.ceil(share * durations.length) - 1] ?? 0;
        expect([row.tool_name, share, Math.abs((found ?? 0) / right - 1) < 0.105]).toEqual([row.tool_name, share, true]);
      }
    }
  });

  test('what a user has used is what ran, and what gateways counted ahead is given back', async () => {
    const [{ calls: ran } = { calls: 0 }] = (await made.user.get('/usage/calls?by=user')).as(callSums).sums;
    const today = await eventually(
      async () => {
        const [day] = (await made.user.get('/usage')).as(usageSchema).calls.days;
        // Answers from the cache count for the limit, and for nothing else.
        return day && day.reserved <= 600 + 400 ? day : undefined;
      },
      { withinMs: 30_000 },
    );
    expect(today.used).toBe(ran);
  });

  test('budgets, costs, batches and webhooks have each call that they count', async () => {
    const { tally, admin, user, system, batchId, webhookId } = made;
    const [own] = (await admin.get('/usage/calls?scope=tenant&by=tenant')).as(callSums).sums;
    expect(own?.cost_micros).toBe(tally.micros);
    const { budgets } = await eventually(
      async () => {
        const read = (await admin.get('/budgets')).as(budgetList);
        return read.budgets.every(({ spent }) => spent.reserved_calls === 0) ? read : undefined;
      },
      { withinMs: 30_000 },
    );
    const spent = Object.fromEntries(budgets.map((one) => [one.name, one.spent]));
    const ran = (of: string, counts = tally.ran) =>
      sumOf(new Map([...counts].filter(([name]) => name.startsWith(`${system.tenant.id} ${of}`))));
    expect(spent).toMatchObject({
      whole: { calls: ran(''), micros: tally.micros },
      quotes: { calls: ran('make_quote'), micros: tally.micros },
      second: { calls: ran('user_other', tally.ranOf), micros: 300 * quoteMicros },
    });
    expect((await user.get(`/batches/${batchId}`)).as(batch)).toMatchObject({ total: 140, completed: 120, failed: 20, waiting: 0 });
    const told = await eventually(
      async () => {
        const count = await deliveries(webhookId);
        return count >= failedCalls ? count : undefined;
      },
      { withinMs: 60_000 },
    );
    expect(told).toBe(failedCalls);
  });

  test.each([...sumScreens, ...listScreens].map((screen) => [screen.path, screen.who ?? 'an operator', screen] as const))(
    'each figure of %s of %s is that of the API',
    async (path, _who, screen) => {
      const { page, seen } = pageOf(screen.who);
      await page.goto(`${made.system.gateway.url}/console${path.replace(':id', (await screen.id?.(made)) ?? '')}`);
      await page.locator('.screen').waitFor();
      expect(await expectShown(page, { ...screen, wanted: () => screen.wanted(made, seen) })).toBeGreaterThan(3);
      expect(opened.flatMap(({ faults }) => faults)).toEqual([]);
    },
  );

  test('each point of the charts of Home is that of the API', async () => {
    const { page } = pageOf(undefined);
    await page.goto(`${made.system.gateway.url}/console/?range=minutes`);
    await page.getByRole('img', { name: 'Calls a minute' }).waitFor();
    const read = async (label: string) => pointsOf(page, label, { all: minutesShown, last: minutesRead });
    const shown = [await read('Calls a minute'), await read('Latency')] as const;
    const { minutes } = (await made.admin.get('/admin/activity')).as(activitySchema);
    const right = new Map(minutes.map((one) => [formatClock(one.at, 'en'), one]));
    for (const { at, values } of shown[0]) {
      const { calls = 0, errors: codes = {} } = right.get(at) ?? {};
      expect([at, values]).toEqual([at, { Calls: count(calls), Errors: count(total(codes)) }]);
    }
    for (const { at, values } of shown[1])
      expect([at, values]).toEqual([at, { p50: time(right.get(at)?.p50_ms ?? null), p99: time(right.get(at)?.p99_ms ?? null) }]);
    // Each minute in which there were calls was read, but for the present one.
    const moments = new Set(shown[0].map(({ at }) => at));
    expect(minutes.slice(0, -1).filter(({ at, calls }) => calls > 0 && !moments.has(formatClock(at, 'en')))).toEqual([]);
  });

  function pageOf(who: Screen['who']): { readonly page: Page; readonly seen: Seen } {
    const found = pages.get(who);
    if (!found) throw new Error('nobody has signed in');
    return found;
  }

  async function deliveries(webhook: string): Promise<number> {
    for (let [cursor, count] = ['', 0]; ;) {
      const page = (await made.admin.get(`/webhooks/${webhook}/deliveries?limit=100${cursor}`)).as(webhookDeliveryPage);
      count += page.deliveries.filter(({ state }) => state === 'succeeded').length;
      if (page.pagination.next_cursor === null) return count;
      cursor = `&cursor=${encodeURIComponent(page.pagination.next_cursor)}`;
    }
  }

  async function past(tenant: string, tool: string): Promise<readonly PastCall[]> {
    const calls: PastCall[] = [];
    for (let cursor = ''; ;) {
      const page = (await made.admin.get(`/history?scope=all&tenant=${tenant}&tool=${tool}&limit=1000${cursor}`)).as(historyPage);
      calls.push(...page.calls);
      if (page.pagination.next_cursor === null) return calls;
      cursor = `&cursor=${encodeURIComponent(page.pagination.next_cursor)}`;
    }
  }
});
