import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorsPage, type Caller, type ToolError } from '#lib/contracts';
import { eventually, givenStores, HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import { loggedCall, errorHourMs, type CountedKind } from '#lib/transport';
import { startTestGateway, type TestGateway } from '../test-gateway.js';
import { CallErrors } from './call-errors.js';
import { ErrorCounts } from './error-counts.js';
import { ErrorKeeper } from './error-keeper.js';

const soldOut: ToolError = {
  code: 'RESOURCE_NOT_FOUND',
  family: 'RESOURCE_NOT_FOUND',
  native_code: 'SOLD_OUT',
  message: 'none of 4711 left',
};
const broken: ToolError = { code: 'EXECUTION_ERROR', family: 'EXECUTION_ERROR', message: 'The tool failed' };

let gateway: TestGateway;
let others: Tenant;
let user: HttpCaller;
let stranger: HttpCaller;
let admin: HttpCaller;
let ofTenant: HttpCaller;

beforeAll(async () => {
  gateway = await startTestGateway({ handler: () => ({ ok: true, data: { made: 'x' } }) });
  others = await Tenant.create(givenStores().databaseUrl);
  user = await gateway.caller();
  admin = await gateway.caller({ userId: null, scopes: ['*'] });
  ofTenant = await gateway.caller({ userId: 'boss', scopes: ['tenant:admin'] });
  stranger = new HttpCaller(gateway.url, await others.key({ scopes: ['tools:read', 'tools:write', 'tenant:admin'] }));
}, startTimeoutMs);

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await others?.[Symbol.asyncDispose]();
});

const errors = async (query = '', caller = admin) => (await caller.get(`/errors?${query}`)).as(errorsPage);

async function counted(total: number, query = '', caller = admin) {
  return eventually(async () => {
    await gateway.stores.errorWriter.flush();
    const page = await errors(query, caller);
    return page.total.caller + page.total.system >= total ? page : undefined;
  });
}

/** A call that ended in this process, as a worker in it would end it. */
function failed(error: ToolError): void {
  const caller: Caller = { tenantId: gateway.tenant.id, userId: 'user_001', tier: 'pro', scopes: [], credentialId: 'k' };
  const head = {
    v: 1,
    tool: 'test_plain',
    version: '1.0.0',
    input: {},
    caller,
    sessionId: null,
    traceId: 'trace_1',
    traceparent: '',
    validationMs: 0,
    createdAt: 0,
    maxAttempts: 1,
    retry: true,
    flightKey: null,
    cacheKey: null,
  } as const;
  const outcome = { ok: false, error } as const;
  const ending = { state: 'failed', outcome, startedAt: 1, finishedAt: 2, attempts: 1, executionMs: 1, networkMs: 0 } as const;
  gateway.stores.reports.record(loggedCall({ jobId: 'inv_profile_1', head, ending }, undefined), { outcome });
}

describe('GET /errors', () => {
  test('counts refusals, failures and what tools refuse, apart by whose fault they are', async () => {
    await user.call('test_plain', { order: 'fine' });
    for (const error of [soldOut, soldOut, broken]) failed(error);
    for (const order of [1, 2, 3]) await user.call('test_plain', { order });
    await user.call('no_such_tool', {});
    await (await gateway.caller({ scopes: ['chat'] })).call('test_plain', { order: 'x' });
    const page = await counted(8, 'scope=tenant', ofTenant);
    expect(page).toMatchObject({ total: { caller: 7, system: 1 }, step_ms: 60_000, pagination: { has_more: false } });
    const shown = page.errors.map(({ tool_name, code, native_code, cause, count }) => [tool_name, code, native_code, cause, count]);
    expect(shown).toEqual(
      expect.arrayContaining([
        ['test_plain', 'INVALID_PARAMS', null, 'caller', 3],
        ['test_plain', 'RESOURCE_NOT_FOUND', 'SOLD_OUT', 'caller', 2],
        ['test_plain', 'EXECUTION_ERROR', null, 'system', 1],
        ['unknown', 'TOOL_NOT_FOUND', null, 'caller', 1],
        ['test_plain', 'PERMISSION_DENIED', null, 'caller', 1],
      ]),
    );
    expect(page.series).toHaveLength(page.errors[0]?.counts.length ?? 0);
    expect(page.series.reduce((sum, { caller }) => sum + caller, 0)).toBe(7);
    const gone = page.errors.find(({ native_code }) => native_code === 'SOLD_OUT');
    expect(gone).toMatchObject({ message: 'none of # left', tenant_id: gateway.tenant.id });
    expect(gone?.samples).toHaveLength(2);
    expect(gone?.samples[0]).toMatchObject({ message: 'none of 4711 left', user_id: 'user_001', job_id: expect.stringMatching(/^inv_/) });
    expect(page.errors.find(({ code }) => code === 'INVALID_PARAMS')?.samples[0]).toMatchObject({
      job_id: null,
      trace_id: expect.any(String),
    });
  });

  test('is narrowed by tool, code, cause and time', async () => {
    for (const [query, total] of [
      ['code=SOLD_OUT', 2],
      ['code=RESOURCE_NOT_FOUND', 2],
      ['tool=unknown', 1],
      ['cause=system', 1],
      ['tool=nothing', 0],
      [`to=${new Date(Date.now() - 600_000).toISOString()}`, 0],
      [`from=${new Date(Date.now() - 80_000_000).toISOString()}`, 8],
      [`from=${new Date(Date.now() - 30 * 86_400_000).toISOString()}`, 8],
    ] as const) {
      const page = await errors(query, ofTenant);
      expect([query, page.total.caller + page.total.system, page.series.length <= 121]).toEqual([query, total, true]);
    }
  });

  test("is the tenant's own; those who operate Invoq read that of all", async () => {
    await stranger.call('test_plain', { order: 7 });
    expect(await counted(1, '', stranger)).toMatchObject({ total: { caller: 1, system: 0 } });
    expect((await errors('', ofTenant)).total).toEqual({ caller: 7, system: 1 });
    expect((await errors(`scope=all&tenant=${others.id}`)).total).toEqual({ caller: 1, system: 0 });
    expect((await errors('scope=all')).total.caller).toBeGreaterThanOrEqual(8);
    expect((await user.get('/errors')).status).toBe(403);
    for (const query of ['scope=all', `scope=all&tenant=${others.id}`]) expect((await ofTenant.get(`/errors?${query}`)).status).toBe(403);
  });

  test('is read page by page, by cursors of one query and one caller', async () => {
    const first = await errors('limit=2', ofTenant);
    const second = await errors(`limit=1000&cursor=${first.pagination.next_cursor}`, ofTenant);
    expect([first.errors.length, second.errors.length, second.pagination.has_more]).toEqual([2, 3, false]);
    expect(second.total).toEqual(first.total);
    for (const [query, caller] of [
      ['limit=2&tool=test_plain', ofTenant],
      ['limit=2', admin],
    ] as const)
      expect((await caller.get(`/errors?${query}&cursor=${first.pagination.next_cursor}`)).status).toBe(400);
  });

  test('names what is wrong with a query', async () => {
    for (const path of [
      'scope=mine',
      'limit=0',
      'limit=1001',
      'cause=me',
      'tenant=another',
      'from=yesterday',
      'cursor=x',
      'from=2020-01-01T00:00:00Z',
      'from=2999-01-01T00:00:00Z',
    ]) {
      const answer = await admin.get(`/errors?${path}`);
      expect([path, answer.status, answer.text]).toEqual([path, 400, expect.stringContaining(`"path":"${path.split('=')[0]}"`)]);
    }
  });
});

describe('The days of errors', () => {
  const kind: CountedKind = {
    tenant_id: 'by-day',
    tool_name: 'quote',
    code: 'TIMEOUT',
    native_code: null,
    cause: 'system',
    message: 'late',
  };
  const ofAll = { ...kind, tenant_id: null, tool_name: null, message: null };
  const now = Date.now();
  const add = async (hoursAgo: number, count: number) => {
    const minute = (Math.floor(now / errorHourMs) - hoursAgo) * errorHourMs;
    const sample = { at: minute + 5, trace_id: `t${hoursAgo}`, job_id: null, user_id: null, message: 'what ann sent' };
    await gateway.stores.errors.add([{ kind, spares: [ofAll, ofAll], minute, count, samples: [sample] }]);
  };

  test('have each hour once, whether it is in Postgres yet or not, without what was sent', async () => {
    const { database } = gateway.stores;
    const keeper = new ErrorKeeper(gateway.stores);
    const page = new CallErrors(gateway.stores, new ErrorCounts(gateway.stores));
    const caller = { tenantId: 'x', userId: null, tier: 'pro', scopes: ['*'], credentialId: 'k' } as const;
    const from = new Date(now - 3 * 24 * errorHourMs).toISOString();
    const read = async () => page.page(caller, { scope: 'all', tenant: 'by-day', from, limit: 50 }, now);
    await add(0, 1);
    await add(3, 2);
    await add(20, 4);
    const before = await read();
    expect(before).toMatchObject({ total: { system: 7 }, step_ms: 24 * errorHourMs });
    await Promise.all([keeper.keep(now), keeper.keep(now)]);
    await keeper.keep(now);
    const after = await read();
    expect(after.total).toEqual(before.total);
    expect(after.series).toEqual(before.series);
    const rows = await database.callErrors.findMany({ where: { tenantId: 'by-day' } });
    expect(rows.reduce((sum, { count }) => sum + Number(count), 0)).toBe(6);
    expect(JSON.stringify(rows.map(({ samples }) => samples))).not.toContain('ann');
    expect(after.errors[0]?.samples[0]).toMatchObject({ trace_id: 't0', message: 'what ann sent' });
    // The minutes are in Redis all the same.
    const minutes = await page.page(
      caller,
      { scope: 'all', tenant: 'by-day', from: new Date(now - 22 * errorHourMs).toISOString(), limit: 50 },
      now,
    );
    expect(minutes).toMatchObject({ total: { system: 7 }, step_ms: 15 * 60_000 });
  });
});
