// Lists of calls, of those at rest: they stay there however long ago they came.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { callPage } from '#lib/contracts';
import { acceptedShape, eventually, startTimeoutMs } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

const dayMs = 86_400_000;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ handler: () => ({ ok: true, data: { made: 'x' } }) });
}, startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

test('a call that rests for long stays in the list of those at rest, and leaves it with its end', async () => {
  const [user, admin] = [await gateway.caller(), await gateway.caller({ userId: null, scopes: ['*'] })];
  const idsOf = async (query: string) => (await admin.get(`/jobs?${query}&limit=100`)).as(callPage).jobs.map(({ job_id }) => job_id);
  const id = (await user.post(`/tools/test_plain?delay_ms=${10 * dayMs}`, { order: 'long' })).as(acceptedShape).job_id;
  await eventually(async () => (await idsOf('scope=all&state=resting')).includes(id), { what: 'the call in the list' });
  const { redis, keys } = gateway.stores;
  const open = ['state', 'open', gateway.tenant.id];
  // As it is three days later.
  for (const list of [['all'], ['tenant', gateway.tenant.id], ['state', 'open'], open])
    await redis.zadd(keys.callList(JSON.stringify(list)), Date.now() - 3 * dayMs, id);
  expect(await redis.pttl(keys.callList(JSON.stringify(open)))).toBeGreaterThan(360 * dayMs);
  expect(await idsOf('scope=tenant&state=resting')).toContain(id);
  expect(await idsOf('scope=all&state=resting&tool=test_plain')).toContain(id);
  expect(await idsOf('scope=tenant&state=active')).not.toContain(id);
  expect((await user.delete(`/jobs/${id}`)).status).toBe(202);
  await eventually(async () => !(await idsOf('scope=tenant&state=resting')).includes(id), { what: 'the list without it' });
});
