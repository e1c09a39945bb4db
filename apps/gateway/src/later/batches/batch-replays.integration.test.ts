// Calls that failed for good are kept, and tried again together.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { dryRunCount, startedBatch, type Outcome } from '#lib/contracts';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../../test-gateway.js';
import { FailedCalls } from '../../records/failed-calls.js';
import { ended, resultsOf, started } from './test-batches.js';

const job = z.looseObject({ job_id: z.string(), state: z.string(), replay_of: z.string().nullable(), input: z.unknown() });

let gateway: TestGateway;
let caller: HttpCaller;
let other: HttpCaller;
/** Orders that fail now. */
const broken = new Set<string>();

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: ({ head }): Outcome => {
      const order = String(head.input['order']);
      if (!broken.has(order)) return { ok: true, data: { made: order } };
      return { ok: false, error: { code: 'TIMEOUT', family: 'TIMEOUT', native_code: 'TOO_SLOW', message: 'too slow' } };
    },
  });
  caller = await gateway.caller();
  other = await gateway.caller({ userId: 'user_other' });
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

/** The job of a call that failed, once its parameters are kept. */
async function failed(
  order: string,
  { by = caller, tool = 'test_plain', json = { order } }: { by?: HttpCaller; tool?: string; json?: object } = {},
): Promise<string> {
  broken.add(order);
  const reply = await by.call(tool, json);
  const id = z.object({ job_id: z.string() }).parse(reply.envelope.metadata).job_id;
  await eventually(async () => gateway.stores.database.failedCall.findUnique({ where: { jobId: id } }), { what: 'the failed call' });
  return id;
}

const replay = async (selection: object, by = caller, query = '') => by.post(`/batches${query}`, { replay: selection });
const count = async (selection: object, by = caller): Promise<number> =>
  (await replay(selection, by, '?dry_run=true')).as(dryRunCount).count;

describe('Failed calls', () => {
  test('are kept sealed, counted, and tried again once, each as a replay of its own', async () => {
    const order = randomUUID();
    const jobs = [await failed(`${order} 1`), await failed(`${order} 2`)];
    const stored = await gateway.stores.database.failedCall.findMany({ where: { jobId: { in: jobs } } });
    expect(JSON.stringify(stored)).not.toContain(order);
    expect(await count({ tool: 'test_plain', code: 'TOO_SLOW' })).toBe(2);
    expect(await count({ code: 'TIMEOUT' })).toBe(2);
    for (const nothing of [{ tool: 'test_cached' }, { code: 'SOLD_OUT' }, { from: '2900-01-01T00:00:00Z' }, { to: '2020-01-01T00:00:00Z' }])
      expect(await count(nothing)).toBe(0);
    expect(await count({}, other)).toBe(0);
    broken.clear();
    const id = await started(replay({ code: 'TOO_SLOW' }));
    expect(await ended(caller, id)).toMatchObject({ state: 'completed', total: 2, completed: 2 });
    const results = await resultsOf(caller, id);
    expect(results.map(({ id: of }) => of)).toEqual(jobs);
    const [line] = await gateway.stores.database.batchLine.findMany({ where: { batchId: id }, orderBy: { n: 'asc' } });
    expect((await caller.get(`/jobs/${line?.jobId}`)).as(job)).toMatchObject({
      state: 'completed',
      replay_of: jobs[0],
      input: { order: `${order} 1` },
    });
    expect(await count({})).toBe(0);
    expect((await replay({})).status).toBe(400);
  });

  test('of others are not tried again, by their ids either', async () => {
    const mine = await failed(randomUUID());
    const reply = await replay({ job_ids: [mine] }, other);
    const id = reply.as(startedBatch).batch_id;
    expect(await ended(other, id)).toMatchObject({ total: 1, failed: 1 });
    expect((await resultsOf(other, id))[0]?.error?.code).toBe('RESOURCE_NOT_FOUND');
    expect(await count({ job_ids: [mine, mine] })).toBe(1);
    broken.clear();
    // By its id it can be tried again as often as one likes.
    for (let again = 0; again < 2; again++)
      expect(await ended(caller, await started(replay({ job_ids: [mine, 'none'] })))).toMatchObject({ total: 2, completed: 1, failed: 1 });
  });

  test('are tried again at most ten times in a row', async () => {
    const order = randomUUID();
    let last = await failed(order);
    const [first] = [last];
    for (let again = 1; again <= 10; again++) {
      const id = await started(replay({ job_ids: [last] }));
      await ended(caller, id);
      const [line] = await gateway.stores.database.batchLine.findMany({ where: { batchId: id } });
      last = line?.jobId ?? '';
      await eventually(async () => gateway.stores.database.failedCall.findUnique({ where: { jobId: last } }));
    }
    expect(last).not.toBe(first);
    expect(await count({})).toBe(0);
    const id = await started(replay({ job_ids: [last] }));
    await ended(caller, id);
    expect((await resultsOf(caller, id))[0]?.error?.code).toBe('CONFLICT');
    expect((await caller.post(`/jobs/${last}/replay`, {})).status).toBe(409);
    broken.clear();
  });

  test('that a cancelled batch has not called are found again', async () => {
    const orders = [randomUUID(), randomUUID(), randomUUID()];
    for (const order of orders) await failed(order);
    broken.clear();
    const before = await count({});
    const slow = await caller.post('/batches', { replay: {}, rate_per_s: 0.02 });
    const id = slow.as(startedBatch).batch_id;
    expect(await count({})).toBe(0);
    await eventually(async () => (await gateway.stores.database.batchLine.count({ where: { batchId: id, state: 'completed' } })) > 0);
    await caller.delete(`/batches/${id}`);
    const { completed } = await ended(caller, id);
    expect(completed).toBeGreaterThan(0);
    expect(await count({})).toBe(before - completed);
    await ended(caller, await started(replay({})));
  });

  test('that were refused before they ran are found again', async () => {
    for (const order of [randomUUID(), randomUUID()]) await failed(order);
    broken.clear();
    const before = await count({});
    const admin = await gateway.caller({ userId: null, scopes: ['tenant:admin'] });
    await admin.request('/budgets/none', { method: 'PUT', json: { tool: 'test_plain', period: 'day', limit_calls: 0 } });
    expect(await ended(caller, await started(replay({})))).toMatchObject({ completed: 0, failed: before });
    expect(await count({})).toBe(before);
    await admin.delete('/budgets/none');
    expect(await ended(caller, await started(replay({})))).toMatchObject({ completed: before, failed: 0 });
    expect(await count({})).toBe(0);
  });

  test('of a user are tried again by the key that called for it', async () => {
    const key = await gateway.caller({ userId: null, scopes: ['tools:read', 'act-as'] });
    const mine = await failed(randomUUID(), { by: key.with({ 'x-user-id': 'user_of_key' }) });
    expect(await count({ user: 'user_of_key' }, key)).toBe(1);
    expect(await count({}, key)).toBe(0);
    expect((await replay({ user: 'user_of_key' }, caller)).status).toBe(403);
    // Another key of the tenant has not made them.
    const second = await gateway.caller({ userId: null, scopes: ['tools:read', 'act-as'] });
    expect(await count({ user: 'user_of_key' }, second)).toBe(0);
    broken.clear();
    const id = await started(replay({ user: 'user_of_key' }, key));
    expect(await ended(key, id)).toMatchObject({ completed: 1 });
    expect((await resultsOf(key, id))[0]).toMatchObject({ id: mine, success: true });
    const asUser = await gateway.caller({ userId: 'user_of_key' });
    const [line] = await gateway.stores.database.batchLine.findMany({ where: { batchId: id } });
    expect((await asUser.get(`/jobs/${line?.jobId}`)).as(job)).toMatchObject({ state: 'completed', replay_of: mine });
  });

  test.each([
    ['calls beside them', { calls: [{ name: 'test_plain' }], replay: {} }],
    ['ids beside filters', { replay: { job_ids: ['x'], tool: 'test_plain' } }],
    ['neither', {}],
    ['no ids', { replay: { job_ids: [] } }],
    ['another filter', { replay: { state: 'failed' } }],
    ['a time that is none', { replay: { from: 'yesterday' } }],
  ])('with %s are refused', async (_, body) => {
    for (const query of ['', '?dry_run=true']) expect((await caller.post(`/batches${query}`, body)).status).toBe(400);
    expect((await caller.post('/batches?dry_run=true', { calls: [{ name: 'test_plain' }] })).status).toBe(400);
  });

  test('with parameters that are too large are not kept, and those whose days are over are forgotten', async () => {
    const large = 'x'.repeat(17_000);
    broken.add('large');
    const reply = await caller.call('test_plain', { order: 'large', note: large });
    expect(reply.status).toBe(400);
    const mine = await failed(randomUUID());
    await gateway.app.get(FailedCalls).forget(new Date(Date.now() + 1_000));
    expect(await gateway.stores.database.failedCall.findUnique({ where: { jobId: mine } })).toBeNull();
    broken.clear();
  });
});
