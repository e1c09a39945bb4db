// Ten thousand mixed calls, and every figure of the APIs beside what their caller has counted.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { activitySchema, callSums, defineTool, errorsPage, historyPage, usageSchema, type PastCall } from '#lib/contracts';
import { handle, serve, type ServedWorker } from '#lib/serve';
import { eventually, givenStores, HttpCaller, startSystem, startTimeoutMs, Tenant, type System } from '#lib/testing';

jest.setTimeout(600_000);

const quote = defineTool({
  name: 'make_quote',
  version: '1.0.0',
  title: 'Quote',
  description: 'Makes a quote. A tool of a test, served by a worker of a tenant.',
  domain: 'own-sales',
  effect: 'write',
  input: z.strictObject({ text: z.string().describe('What is asked for.') }),
  output: z.strictObject({ said: z.string() }),
  errors: { SOLD_OUT: 'RESOURCE_NOT_FOUND' },
  timeoutMs: 20_000,
  estimatedTokens: 10,
  examples: [{ input: { text: 'a' }, output: { said: 'a' } }],
});

/** What one call is, and how many of them there are. Each is sent with its number. */
interface Kind {
  readonly count: number;
  readonly caller: HttpCaller;
  readonly tenant: string;
  readonly tool: string;
  readonly input: (n: number) => Readonly<Record<string, unknown>>;
}

const metrics = (n: number) => ({
  height_cm: 150 + (n % 50),
  weight_kg: Math.round((50 + n / 100) * 100) / 100,
  age: 30,
  gender: 'male',
  activity_level: 'moderate',
});

/** Sums of what the answers said, as the APIs should have them. */
class Tally {
  /** By tenant, tool, code, own code. */
  readonly errors = new Map<string, number>();
  /** Calls by tool, as each gave an answer. */
  readonly calls = new Map<string, number>();
  /** By tenant and tool: those that ran. */
  readonly ran = new Map<string, number>();
  system = 0;
  total = 0;

  add({ tenant, tool }: Kind, { status, envelope }: Awaited<ReturnType<HttpCaller['call']>>): void {
    const { metadata } = envelope;
    const name = envelope.error?.code === 'TOOL_NOT_FOUND' ? 'unknown' : tool;
    const isCached = z.object({ cache: z.object({ hit: z.literal(true) }) }).safeParse(metadata).success;
    this.total += 1;
    one(this.calls, name);
    if (metadata['job_id'] !== undefined && !isCached) one(this.ran, `${tenant} ${tool}`);
    if (envelope.success) return;
    if (status >= 500) this.system += 1;
    one(this.errors, [tenant, name, envelope.error?.code, envelope.error?.native_code ?? null].join(' '));
  }
}

function one(counts: Map<string, number>, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

const asObject = (counts: ReadonlyMap<string, number>) => Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));

describe('After 10,000 mixed calls of two tenants', () => {
  let system: System;
  let other: Tenant;
  let admin: HttpCaller;
  let user: HttpCaller;
  let worker: ServedWorker;
  const tally = new Tally();
  let kinds: readonly Kind[];

  beforeAll(async () => {
    system = await startSystem({ gateways: 2, env: { RATE_LIMIT_FREE: '1', TOOL_QUOTA_FREE: '5' } });
    other = await Tenant.create(givenStores().databaseUrl);
    const key = await system.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
    const isServing = Promise.withResolvers<void>();
    worker = serve({
      tools: [
        handle(quote, ({ text }, { error }) => {
          if (text.startsWith('none')) throw error('SOLD_OUT', `None of ${text} is left`);
          if (text.startsWith('broken')) throw new Error(`upstream price.internal refused ${text}`);
          return { said: text };
        }),
      ],
      url: system.gateway.url,
      key,
      domain: 'sales',
      stopsOnSignal: false,
      onEvent: ({ kind }) => kind === 'serving' && isServing.resolve(),
    });
    await Promise.race([isServing.promise, worker.stopped]);
    admin = await system.admin();
    user = await system.caller();
    const [theirs, powerless, free] = await Promise.all([
      other.key(),
      system.tenant.key({ userId: 'nobody', scopes: ['chat'] }),
      system.tenant.key({ userId: 'free', tier: 'free' }),
    ]);
    const at = (gateway: number, given: string) => new HttpCaller(system.gateways[gateway]?.url ?? '', given);
    const [own, foreign] = [system.tenant.id, other.id];
    const kind = (count: number, caller: HttpCaller, tool: string, input: Kind['input'], tenant = own): Kind => ({
      count,
      caller,
      tool,
      input,
      tenant,
    });
    const second = user.at(system.gateways[1]?.url ?? '');
    kinds = [
      kind(2_800, user, 'calc_metrics', metrics),
      kind(600, second, 'calc_metrics', () => metrics(1)),
      kind(1_000, second, 'calc_metrics', (n) => ({ ...metrics(n), height_cm: `${n} feet` })),
      kind(500, user, 'calc_metrics', (n) => ({ ...metrics(n), [`extra_${String.fromCodePoint(97 + (n % 26))}`]: 1 })),
      kind(300, user, 'no_such_tool', () => ({})),
      kind(700, at(0, powerless), 'calc_metrics', metrics),
      kind(400, user, 'user_profile_lookup', () => ({ user_id: 'user_001' })),
      kind(400, second, 'user_profile_lookup', (n) => ({ user_id: `stranger_${n}` })),
      kind(1_000, user, 'make_quote', (n) => ({ text: `fine ${n}` })),
      kind(300, second, 'make_quote', (n) => ({ text: `none ${n}` })),
      kind(400, user, 'make_quote', (n) => ({ text: `broken ${n}` })),
      kind(200, at(1, free), 'calc_metrics', (n) => metrics(n + 5_000)),
      kind(900, at(1, theirs), 'calc_metrics', metrics, foreign),
      kind(300, at(0, theirs), 'calc_metrics', () => ({}), foreign),
      kind(200, at(0, theirs), 'make_quote', () => ({ text: 'of another tenant' }), foreign),
    ];
    await callAll();
  }, startTimeoutMs * 6);
  afterAll(async () => {
    await worker?.stop();
    await other?.[Symbol.asyncDispose]();
    await system?.[Symbol.asyncDispose]();
  });

  /** In an order that mixes them, 32 at a time. */
  async function callAll(): Promise<void> {
    const calls = kinds
      .flatMap((kind, index) => Array.from({ length: kind.count }, (_, n) => ({ kind, n, place: (n + index / kinds.length) / kind.count })))
      .sort((a, b) => a.place - b.place);
    const queue = calls.values();
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        for (const { kind, n } of queue) tally.add(kind, await kind.caller.call(kind.tool, kind.input(n)));
      }),
    );
  }

  const errors = async (query: string, caller = admin) => (await caller.get(`/errors?limit=1000&${query}`)).as(errorsPage);
  const allErrors = () => [...tally.errors.values()].reduce((sum, count) => sum + count, 0);

  test('each error is counted under its tenant, tool and code, whoever refused it', async () => {
    expect(tally.total).toBe(10_000);
    const page = await eventually(
      async () => {
        const read = await errors('scope=all');
        return read.total.caller + read.total.system >= allErrors() ? read : undefined;
      },
      { withinMs: 30_000 },
    );
    const counted = new Map<string, number>();
    for (const { tenant_id, tool_name, code, native_code, count } of page.errors)
      one(counted, [tenant_id, tool_name, code, native_code].join(' '), count);
    expect(asObject(counted)).toEqual(asObject(tally.errors));
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
    expect(page.total).toEqual({ caller: allErrors() - tally.system, system: tally.system });
    expect(page.series.reduce((sum, { caller, system: ours }) => sum + caller + ours, 0)).toBe(allErrors());
    // Other tests count their days in the same database.
    const tenants = [...new Set(page.errors.map(({ tenant_id }) => tenant_id))];
    const from = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const days = await Promise.all(tenants.map((tenant) => errors(`scope=all&tenant=${tenant}&from=${from}`)));
    const counts = days.map(({ total }) => total.caller + total.system);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(allErrors());
  });

  test("a tenant's administrator sees what is of the tenant, and equal messages are one kind", async () => {
    const boss = await system.caller({ userId: 'boss', scopes: ['tenant:admin'] });
    const page = await errors('', boss);
    const own = [...tally.errors].filter(([key]) => key.startsWith(`${system.tenant.id} `)).reduce((sum, [, count]) => sum + count, 0);
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
        const read = (await admin.get('/admin/activity')).as(activitySchema);
        return read.sums.minutes.calls >= tally.total ? read : undefined;
      },
      { withinMs: 30_000 },
    );
    const { by_tool, errors: byCode, ...whole } = sums.minutes;
    expect(whole).toMatchObject({ calls: tally.total, system_errors: tally.system });
    expect(Object.fromEntries(Object.entries(by_tool).map(([tool, { calls }]) => [tool, calls]))).toEqual(Object.fromEntries(tally.calls));
    expect(Object.values(byCode).reduce((sum, count) => sum + count, 0)).toBe(allErrors());
  });

  test('the sums have each call that ran, with the quantiles of all of them', async () => {
    const rows = await eventually(
      async () => {
        const { sums } = (await admin.get('/usage/calls?scope=all&by=tenant,tool')).as(callSums);
        const ours = sums.filter(({ tenant_id }) => tenant_id === system.tenant.id || tenant_id === other.id);
        return ours.reduce((sum, { calls }) => sum + calls, 0) >= [...tally.ran.values()].reduce((sum, count) => sum + count, 0)
          ? ours
          : undefined;
      },
      { withinMs: 60_000 },
    );
    expect(asObject(new Map(rows.map(({ tenant_id, tool_name, calls }) => [`${tenant_id} ${tool_name}`, calls])))).toEqual(
      asObject(tally.ran),
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
    const [{ calls: ran } = { calls: 0 }] = (await user.get('/usage/calls?by=user')).as(callSums).sums;
    const today = await eventually(
      async () => {
        const [day] = (await user.get('/usage')).as(usageSchema).calls.days;
        // Answers from the cache count for the limit, and for nothing else.
        return day && day.reserved <= 600 + 400 ? day : undefined;
      },
      { withinMs: 30_000 },
    );
    expect(today.used).toBe(ran);
  });

  async function past(tenant: string, tool: string): Promise<readonly PastCall[]> {
    const calls: PastCall[] = [];
    for (let cursor = ''; ;) {
      const page = (await admin.get(`/history?scope=all&tenant=${tenant}&tool=${tool}&limit=1000${cursor}`)).as(historyPage);
      calls.push(...page.calls);
      if (page.pagination.next_cursor === null) return calls;
      cursor = `&cursor=${encodeURIComponent(page.pagination.next_cursor)}`;
    }
  }
});
