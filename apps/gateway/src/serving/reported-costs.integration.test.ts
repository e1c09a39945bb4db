// What tenants' own tools report as their costs: in answers, in the history, in sums, and in budgets.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { budget, callSums, historyPage, userScopes } from '#lib/contracts';
import { Failure, handle, type ServedWorker } from '#lib/serve';
import { eventually, givenStores, HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import { TestHttpGateway } from '../test-http-gateway.js';
import { contractOf } from './test-contract.js';
import { startOwnWorker } from './test-own-worker.js';

let gateway: TestHttpGateway;
let admin: HttpCaller;
let user: HttpCaller;
let workerKey: string;
const workers: ServedWorker[] = [];

beforeAll(async () => {
  gateway = await TestHttpGateway.start();
  const { tenant, port } = gateway;
  const url = `http://127.0.0.1:${port}`;
  workerKey = await tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
  admin = new HttpCaller(url, await tenant.key({ userId: null, tier: 'vip', scopes: ['tenant:admin', ...userScopes] }));
  user = new HttpCaller(url, await tenant.key({ tier: 'vip' }));
}, startTimeoutMs);
afterEach(async () => void (await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)))));
afterAll(async () => gateway?.[Symbol.asyncDispose]());

async function served(
  name: string,
  run: (text: string, attempt: number, cost: (micros: number) => void) => void,
  more: object = {},
): Promise<void> {
  const contract = { ...contractOf(name, more), retry: { service: { times: 2, baseMs: 10 } } };
  const tool = handle(contract, ({ text }, { attempt, cost }) => {
    run(text, attempt, cost);
    return { said: text };
  });
  workers.push(await startOwnWorker(gateway, { key: workerKey, tool, concurrency: 64 }));
  await eventually(async () => (await user.get(`/tools/${name}`)).status === 200, { withinMs: 30_000 });
}
const costOf = (answer: { readonly body: unknown }) =>
  z.looseObject({ metadata: z.looseObject({ cost: z.object({ micros: z.number() }).optional(), job_id: z.string() }) }).parse(answer.body)
    .metadata;
const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const spent = async (name: string) => {
  return eventually(async () => {
    const { spent: now } = (await admin.get(`/budgets/${name}`)).as(budget);
    return now.reserved_calls === 0 && now;
  });
};

test('A call costs what its contract says and what its tool reports, over all attempts, everywhere', async () => {
  await served(
    'reports',
    (_text, attempt, cost) => {
      for (let times = 0; times < 1_000; times++) cost(7);
      if (attempt === 1) throw new Failure('service', 'after it was paid');
    },
    { cost: { micros: 500 } },
  );
  const { cost, job_id: id } = costOf(await user.post('/tools/reports', { text: 'a' }));
  expect(cost).toEqual({ micros: 14_500 });
  const past = await eventually(async () => (await user.get('/history')).as(historyPage).calls.find(({ job_id }) => job_id === id));
  expect(past).toMatchObject({ cost_micros: 14_500, attempts_made: 2 });
  const { sums } = (await user.get('/usage/calls?by=tool')).as(callSums);
  expect(sums.find(({ tool_name }) => tool_name === 'reports')).toMatchObject({ cost_micros: 14_500 });
});

test('a report that is none fails the attempt, and what was reported before counts', async () => {
  await served('wrong', (text, _attempt, cost) => {
    cost(3);
    cost(Number(text));
  });
  for (const text of ['-1', '0.5', 'NaN', 'Infinity', '1000000001']) {
    const answer = await user.post('/tools/wrong', { text });
    expect([answer.status, costOf(answer).cost]).toEqual([500, { micros: 3 }]);
  }
});

test('64 callers at the last cent: a call may cost more than was held, over the limit, and the next is refused', async () => {
  await served('upstream', (_text, _attempt, cost) => cost(30), { cost: { micros: 10 } });
  await admin.request('/budgets/exact', { method: 'PUT', json: { tool: 'upstream', period: 'day', limit_micros: 100 } });
  const answers = await Promise.all(Array.from({ length: 64 }, async () => user.post('/tools/upstream', { text: 'a' })));
  const paid = answers.filter(({ status }) => status === 200);
  expect(paid.length).toBeGreaterThan(0);
  expect(paid.length).toBeLessThanOrEqual(10);
  expect(await spent('exact')).toMatchObject({ micros: paid.length * 40, calls: paid.length, reserved_micros: 0 });
  for (let calls = paid.length; calls < 3; calls++) await user.post('/tools/upstream', { text: 'a' });
  await spent('exact');
  expect((await user.post('/tools/upstream', { text: 'a' })).body).toMatchObject({ error: { code: 'QUOTA_EXCEEDED', budget: 'exact' } });
}, 60_000);

test('a full budget refuses a tool whose contract says nothing once it has reported a cost, and no tool that costs nothing', async () => {
  await served('unsaid', (_text, _attempt, cost) => cost(60));
  await served('free', () => undefined);
  await admin.request('/budgets/money', { method: 'PUT', json: { user: 'payer', period: 'day', limit_micros: 100 } });
  const payer = new HttpCaller(`http://127.0.0.1:${gateway.port}`, await gateway.tenant.key({ userId: 'payer' }));
  for (let times = 0; times < 2; times++) {
    expect(costOf(await payer.post('/tools/unsaid', { text: 'a' })).cost).toEqual({ micros: 60 });
    await spent('money');
  }
  const refused = await payer.post('/tools/unsaid', { text: 'a' });
  expect(refused.body).toMatchObject({
    error: { code: 'QUOTA_EXCEEDED', budget: 'money', message: expect.stringContaining('what its tool reports') },
  });
  const free = await payer.post('/tools/free', { text: 'a' });
  expect([free.status, costOf(free).cost]).toEqual([200, undefined]);
  await admin.delete('/budgets/money');
});

test('a policy sees what its own tenant has spent today, and the trial says so', async () => {
  await served('capped', (_text, _attempt, cost) => cost(1));
  await using stranger = await Tenant.create(givenStores().databaseUrl);
  const theirs = new HttpCaller(
    `http://127.0.0.1:${gateway.port}`,
    await stranger.key({ userId: null, tier: 'vip', scopes: ['tenant:admin', ...userScopes] }),
  );
  const { cost } = costOf(await user.post('/tools/capped', { text: 'a' }));
  expect(cost).toEqual({ micros: 1 });
  const deny = { when: 'spent.day_micros > 0 && spent.month_micros >= spent.day_micros', then: 'deny', message: 'enough for today' };
  const tried = async (by: HttpCaller) =>
    (await by.post('/policies/test', { tool: 'calc_metrics', arguments: body, policy: deny })).as(z.looseObject({ outcome: z.string() }))
      .outcome;
  await eventually(async () => (await tried(admin)) === 'deny', { withinMs: 15_000 });
  expect(await tried(theirs)).toBe('allow');
  expect(
    (await admin.request('/policies/cap', { method: 'PUT', json: { ...deny, when: `tool.name == "capped" && ${deny.when}` } })).status,
  ).toBe(201);
  expect((await user.post('/tools/capped', { text: 'a' })).body).toMatchObject({
    error: { native_code: 'POLICY', message: 'enough for today' },
  });
  await admin.delete('/policies/cap');
  expect((await user.post('/tools/capped', { text: 'a' })).status).toBe(200);
}, 60_000);
