import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { cancelledJobs, dryRunCount, type CancelledJobs } from '#lib/contracts';
import { startTimeoutMs, type HttpCaller } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ handler: ({ head }) => (head.input['order'] === 'open' ? null : { ok: true, data: { made: 'x' } }) });
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

async function start(by: HttpCaller, tool = 'test_plain', query = ''): Promise<string> {
  const reply = await by.post(`/tools/${tool}${query}`, { order: 'open' }, { prefer: 'respond-async' });
  return reply.as(z.looseObject({ job_id: z.string() })).job_id;
}
const cancel = async (by: HttpCaller, filter: object): Promise<CancelledJobs> => (await by.post('/jobs/cancel', filter)).as(cancelledJobs);
const count = async (by: HttpCaller, filter: object): Promise<number> =>
  (await by.post('/jobs/cancel?dry_run=true', filter)).as(dryRunCount).count;
const stateOf = async (by: HttpCaller, id: string): Promise<string> =>
  (await by.get(`/jobs/${id}`)).as(z.looseObject({ state: z.string() })).state;

test('Jobs that meet each filter are counted and cancelled, and no others', async () => {
  const [mine, other] = [await gateway.caller({ userId: 'user_c1' }), await gateway.caller({ userId: 'user_c2' })];
  const plain = [await start(mine), await start(mine)];
  const writing = await start(mine, 'test_writing');
  const later = await start(mine, 'test_plain', '?delay_ms=3600000');
  const foreign = await start(other);
  await mine.call('test_plain', { order: 'ended' });
  expect([await count(mine, {}), await count(mine, { tool: 'test_writing' }), await count(mine, { state: 'resting' })]).toEqual([4, 1, 1]);
  expect(await count(mine, { to: '2020-01-01T00:00:00Z' })).toBe(0);
  expect(await count(mine, { from: '2900-01-01T00:00:00Z' })).toBe(0);
  expect(await cancel(mine, { state: 'resting' })).toEqual({ cancelled: 1, next_to: null });
  expect(await cancel(mine, { tool: 'test_plain' })).toEqual({ cancelled: 2, next_to: null });
  expect(await Promise.all([...plain, later].map(async (id) => stateOf(mine, id)))).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect([await stateOf(mine, writing), await stateOf(other, foreign)]).toEqual(['active', 'active']);
  const both = await Promise.all([cancel(mine, {}), cancel(mine, {})]);
  expect(both.map(({ cancelled }) => cancelled)).toContain(1);
  expect(await count(mine, {})).toBe(0);
});

test('More jobs than one page are all found', async () => {
  const mine = await gateway.caller({ userId: 'user_c3' });
  await Promise.all(Array.from({ length: 230 }, async () => start(mine)));
  expect(await cancel(mine, {})).toEqual({ cancelled: 230, next_to: null });
});

test('Those of a user are cancelled by a key that may act for it', async () => {
  const key = await gateway.caller({ userId: null, scopes: ['tools:read', 'act-as'] });
  const user = await gateway.caller({ userId: 'user_c4' });
  const id = await start(user);
  expect(await count(key, {})).toBe(0);
  expect((await (await gateway.caller({ userId: 'user_c5' })).post('/jobs/cancel', { user: 'user_c4' })).status).toBe(403);
  expect(await cancel(key, { user: 'user_c4' })).toEqual({ cancelled: 1, next_to: null });
  expect(await stateOf(user, id)).toBe('cancelled');
});

test.each([{ state: 'completed' }, { tool: 5 }, { from: 'now' }, { all: true }])('%j is refused', async (filter) => {
  const mine = await gateway.caller();
  expect((await mine.post('/jobs/cancel', filter)).status).toBe(400);
  expect((await mine.post('/jobs/cancel?dry_run=maybe', {})).status).toBe(400);
});
