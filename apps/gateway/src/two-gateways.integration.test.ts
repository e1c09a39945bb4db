import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { callRow } from '#lib/contracts';
import { eventually, PrometheusText, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { z } from 'zod';
import { startTestGateway, type TestGateway } from './test-gateway.js';

/** Two deployments in this process, by how many calls each gets. */
const calls = [3, 1] as const;
let gateways: readonly TestGateway[];
let admins: readonly HttpCaller[];

beforeAll(async () => {
  const handler = () => ({ ok: true, data: { made: 'x' } }) as const;
  gateways = [await startTestGateway({ handler }), await startTestGateway({ handler })];
  admins = await Promise.all(gateways.map(async (gateway) => gateway.caller({ userId: null, scopes: ['*'] })));
  for (const [index, gateway] of gateways.entries()) {
    const user = await gateway.caller();
    for (let n = 0; n < (calls[index] ?? 0); n++) {
      await user.call('test_plain', { order: `${n}` });
      await user.call('test_plain', { order: 7 });
    }
  }
}, startTimeoutMs);

afterAll(async () => {
  for (const gateway of gateways ?? []) await gateway[Symbol.asyncDispose]();
});

/** What each of them says, once it has said as much as is expected. */
async function ofEach<T>(read: (admin: HttpCaller, gateway: TestGateway) => Promise<T>, isDone: (found: T, count: number) => boolean) {
  return Promise.all(
    gateways.map(async (gateway, index) =>
      eventually(async () => {
        const found = await read(admins[index] ?? (await gateway.caller()), gateway);
        return isDone(found, calls[index] ?? 0) ? { found } : undefined;
      }),
    ),
  );
}

test('each shows its own metrics, and both those of the process', async () => {
  for (const [index, admin] of admins.entries()) {
    const metrics = new PrometheusText((await admin.get('/metrics')).text);
    const refused = metrics.sum('invoq_tool_calls_total', { tool: 'test_plain', result: 'refused' });
    const requests = metrics.sum('invoq_http_request_duration_seconds_count', { route: '/tools/:name' });
    expect([refused, requests]).toEqual([calls[index], 2 * (calls[index] ?? 0)]);
    expect(metrics.sum('process_resident_memory_bytes')).toBeGreaterThan(0);
  }
});

test('each lists its own calls', async () => {
  const page = z.looseObject({ jobs: z.array(callRow) });
  const read = async (admin: HttpCaller) => (await admin.get('/jobs?scope=all')).as(page).jobs;
  const lists = await ofEach(read, (jobs, count) => jobs.length >= count && jobs.every(({ state }) => state === 'completed'));
  expect(lists.map(({ found }) => found.length)).toEqual(calls);
});

test('each counts its own calls and its own errors', async () => {
  const seconds = async (_: HttpCaller, { stores, tenant }: TestGateway) => {
    await stores.activityWriter.flush();
    const { redis, keys } = stores;
    const now = Math.floor(stores.clock.now() / 60_000);
    const minutes = await Promise.all([now - 1, now].map(async (minute) => redis.hgetall(keys.activity('minute', minute))));
    return JSON.stringify(minutes).includes('test_plain') ? { minutes, own: tenant.id } : null;
  };
  for (const { found } of await ofEach(seconds, (counted) => counted !== null)) {
    const others = gateways.filter(({ tenant }) => tenant.id !== found?.own);
    for (const { tenant } of others) expect(JSON.stringify(found?.minutes)).not.toContain(tenant.id);
  }
  const errors = async (admin: HttpCaller, { stores }: TestGateway) => {
    await stores.errorWriter.flush();
    return (await admin.get('/errors')).as(z.looseObject({ total: z.looseObject({ caller: z.number() }) })).total.caller;
  };
  expect((await ofEach(errors, (total, count) => total >= count)).map(({ found }) => found)).toEqual(calls);
});

test('each follows the clock of its own Redis', async () => {
  const [one, two] = gateways.map(({ stores }) => stores);
  if (!one || !two) throw new Error('there are two');
  const ahead = Date.now() + 50_000;
  await one.clock.ask({ time: async () => [Math.floor(ahead / 1_000), 0] }, { log: one.log, metrics: one.metrics });
  expect(one.clock.now() - two.clock.now()).toBeGreaterThan(40_000);
});
