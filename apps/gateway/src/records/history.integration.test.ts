import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { auditPage, callSums, historyPage, type PastCall, type ToolError } from '#lib/contracts';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

const soldOut: ToolError = { code: 'RESOURCE_NOT_FOUND', family: 'RESOURCE_NOT_FOUND', native_code: 'SOLD_OUT', message: 'none left' };
const secret = 'the-order-itself';

let gateway: TestGateway;
let user: HttpCaller;
let other: HttpCaller;
let admin: HttpCaller;

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: ({ head }) => {
      const order = String(head.input['order']);
      if (order === 'gone') return { ok: false, error: soldOut };
      return order === 'never' ? null : { ok: true, data: { made: order, usage: { input_tokens: 30, output_tokens: 4 } } };
    },
  });
  [user, other] = [await gateway.caller(), await gateway.caller({ userId: 'user_other' })];
  admin = await gateway.caller({ userId: null, scopes: ['*'] });
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

async function call(order: string, caller = user, tool = 'test_plain'): Promise<string> {
  const path = (await caller.post(`/tools/${tool}`, { order }, { prefer: 'respond-async' })).headers.get('location') ?? '';
  if (order === 'never') await caller.delete(path);
  else await caller.get(`${path}?wait=10`);
  return path.replace('/jobs/', '');
}

const history = async (query = '', caller = user) => (await caller.get(`/history?${query}`)).as(historyPage);
const sums = async (query = '', caller = user) => (await caller.get(`/usage/calls?${query}`)).as(callSums).sums;

async function kept(jobId: string, caller = user): Promise<PastCall> {
  return eventually(async () => (await history('', caller)).calls.find(({ job_id }) => job_id === jobId));
}

describe('The history of calls', () => {
  test('has each ended call once, with how it ended and without what it was about', async () => {
    const ids = [await call(secret), await call('gone'), await call('never')];
    const calls = await Promise.all(ids.map(async (id) => kept(id)));
    expect(calls).toMatchObject([
      { state: 'completed', error: null, tool_name: 'test_plain', input_tokens: 30, output_tokens: 4, attempts_made: 1 },
      { state: 'failed', error: { code: 'RESOURCE_NOT_FOUND', native_code: 'SOLD_OUT' }, input_tokens: null },
      { state: 'cancelled', error: { code: 'CANCELLED', native_code: null } },
    ]);
    const page = await history();
    expect(JSON.stringify(page)).not.toContain(secret);
    expect(page.calls.filter(({ job_id }) => ids.includes(job_id))).toHaveLength(3);
    expect((await history('outcome=failed&code=SOLD_OUT&tool=test_plain')).calls.map(({ job_id }) => job_id)).toContain(ids[1]);
    expect((await history(`to=${calls[0]?.finished_at}`)).calls.map(({ job_id }) => job_id)).not.toContain(ids[0]);
  });

  test("is the caller's own; an administrator reads that of others", async () => {
    const theirs = await call('one', other);
    await kept(theirs, other);
    expect((await history()).calls.map(({ job_id }) => job_id)).not.toContain(theirs);
    for (const path of ['/history?scope=tenant', '/usage/calls?scope=all']) {
      const refused = await user.get(path);
      expect([refused.status, refused.text]).toEqual([403, expect.stringMatching(/scope (tenant:)?admin/)]);
    }
    const seen = await history(`scope=all&user=user_other`, admin);
    expect(seen.calls.map(({ job_id }) => job_id)).toContain(theirs);
    expect(await sums('scope=tenant&by=user&user=user_other', admin)).toMatchObject([{ user_id: 'user_other', calls: 1 }]);
    expect((await history(`scope=all&tenant=${gateway.tenant.id}&user=user_other`, admin)).calls).toHaveLength(1);
    expect(await history('scope=all&tenant=nobody', admin)).toMatchObject({ calls: [] });
    expect(await sums('scope=all&tenant=nobody&by=tenant', admin)).toEqual([]);
  });

  test('is read page by page, by cursors of one query and one caller', async () => {
    await kept(await call('two'));
    const whole = (await history()).calls.map(({ job_id }) => job_id);
    const first = await history('limit=1');
    const second = await history(`limit=1&cursor=${first.pagination.next_cursor}`);
    expect([...first.calls, ...second.calls].map(({ job_id }) => job_id)).toEqual(whole.slice(0, 2));
    for (const [query, caller] of [
      ['limit=1&tool=test_plain', user],
      ['limit=1', other],
    ] as const)
      expect((await caller.get(`/history?${query}&cursor=${first.pagination.next_cursor}`)).status).toBe(400);
  });

  test('names what is wrong with a query', async () => {
    const faults = [
      '/history?state=active',
      '/history?limit=0',
      '/history?tenant=another',
      '/history?from=0000-01-01T00:00:00Z',
      '/history?to=9999-12-31T23:59:59-23:59',
      '/history?user=a%00b',
      '/usage/calls?by=week',
      '/usage/calls?from=2026-02-30',
      '/usage/calls?from=2026-03-02&to=2026-03-01',
      '/usage/calls?from=2020-01-01&to=2026-01-01',
      '/usage/calls?from=0000-01-01&to=0000-01-02',
      '/usage/calls?tenant=another&scope=tenant',
      '/usage/calls?tool=a%00b',
      '/audit?scope=mine',
      '/audit?tenant=another',
      '/audit?action=api_key.read',
      '/audit?limit=1001',
      '/audit?to=yesterday',
      '/audit?actor=a%00b',
      '/audit?cursor=x',
      '/audit?secret=hash',
    ];
    for (const path of faults) {
      const answer = await admin.get(path);
      const [, field] = /\?(\w+)/.exec(path) ?? [];
      expect([path, answer.status, answer.text]).toEqual([path, 400, expect.stringContaining(`"path":"${field}"`)]);
    }
  });
});

describe('The cost of a call', () => {
  test('is in its answer, in the history and in the sums of each key, also as CSV; a call that did not run cost nothing', async () => {
    const buyer = await gateway.caller({ userId: 'buyer' });
    const answer = await buyer.post('/tools/test_priced', { order: 'a' });
    expect(answer.as(z.unknown())).toMatchObject({ metadata: { cost: { micros: 20_000 } } });
    expect((await buyer.post('/tools/test_plain', { order: 'a' })).as(z.unknown())).not.toHaveProperty('metadata.cost');
    const failed = await call('gone', buyer, 'test_priced');
    expect((await buyer.get(`/jobs/${failed}`)).as(z.unknown())).toMatchObject({ result: { metadata: { cost: { micros: 20_000 } } } });
    const asked = { name: 'test_priced', arguments: { order: 'b' }, options: { delay_ms: 60_000 } };
    const later = (await buyer.post('/tools/call', asked)).as(z.looseObject({ job_id: z.string() }));
    await buyer.delete(`/jobs/${later.job_id}`);
    const past = await kept(later.job_id, buyer);
    expect(past).toMatchObject({ state: 'cancelled', cost_micros: 0 });
    expect((await kept(failed, buyer)).cost_micros).toBe(20_000);
    expect(await sums('by=tool', buyer)).toMatchObject([
      { tool_name: 'test_plain', cost_micros: 0 },
      { tool_name: 'test_priced', calls: 3, cost_micros: 40_000 },
    ]);
    const [ofKey] = await sums('by=key&user=buyer&scope=tenant', admin);
    expect(ofKey).toMatchObject({ credential_id: past.credential_id, cost_micros: 40_000 });
    const csv = await buyer.request('/usage/calls?by=tool', { headers: { accept: 'text/csv' } });
    expect([csv.headers.get('content-type'), csv.text.split('\r\n')[0]]).toEqual([
      'text/csv; charset=utf-8',
      'tool_name,calls,completed,failed,cancelled,attempts,execution_ms,p50_ms,p95_ms,p99_ms,input_tokens,output_tokens,cost_micros',
    ]);
    expect(csv.text).toMatch(/^test_priced,3,1,1,1,2,.*,40000$/m);
  });
});

describe('The audit', () => {
  const madeKey = z.looseObject({ id: z.string(), key: z.string() });
  const audit = async (query: string, caller = admin) => (await caller.get(`/audit?${query}`)).as(auditPage);
  const make = async (tenantId: string) =>
    (await admin.post('/keys', { tenant_id: tenantId, tier: 'free', scopes: ['tools:read'] })).as(madeKey);

  test('tells who made and who revoked a key, the latest first, without the key', async () => {
    const { id, key } = await make(gateway.tenant.id);
    await admin.delete(`/keys/${id}`);
    const { events, pagination } = await audit(`subject=${id}`);
    const [revoked, made] = events;
    expect(events).toHaveLength(2);
    expect(revoked).toMatchObject({ action: 'api_key.update', changed: ['revoked_at'], actor: made?.actor });
    expect(made).toMatchObject({ action: 'api_key.insert', tenant_id: gateway.tenant.id, facts: { id, tier: 'free' } });
    expect(made?.actor).toMatch(`${gateway.tenant.id}/key:`);
    expect(pagination).toEqual({ has_more: false, next_cursor: null });
    expect(JSON.stringify(events)).not.toContain(key.slice(-20));
    expect(made?.facts).not.toHaveProperty('hash');
    expect((await audit(`subject=${id}&action=api_key.insert&actor=${made?.actor}&from=${made?.at}&to=${revoked?.at}`)).events).toEqual([
      made,
    ]);
  });

  test("is of the administrator's own tenant, of others when asked, and of nobody for users", async () => {
    const another = `${gateway.tenant.id}-b`;
    const { id } = await make(another);
    const found = async (query: string) => (await audit(`subject=${id}&${query}`)).events.length;
    expect([await found(''), await found('scope=all'), await found(`scope=all&tenant=${another}`)]).toEqual([0, 1, 1]);
    expect(await found(`scope=all&tenant=${gateway.tenant.id}`)).toBe(0);
    for (const query of ['', '?scope=all', '?scope=tenant']) expect((await user.get(`/audit${query}`)).status).toBe(403);
  });

  test('is read page by page, by cursors of one query and one caller', async () => {
    const whole = (await audit('limit=1000')).events;
    const read = [];
    for (let cursor = ''; read.length < 3;) {
      const { events, pagination } = await audit(`limit=1${cursor && `&cursor=${cursor}`}`);
      read.push(...events);
      cursor = pagination.next_cursor ?? '';
    }
    expect(read).toEqual(whole.slice(0, 3));
    const cursor = (await audit('limit=1')).pagination.next_cursor;
    const second = await gateway.caller({ userId: null, scopes: ['*'] });
    for (const [query, caller] of [
      ['scope=all', admin],
      [`action=api_key.insert`, admin],
      ['', second],
    ] as const)
      expect((await caller.get(`/audit?${query}&cursor=${cursor}`)).status).toBe(400);
  });
});
