// Work that no caller asked for, such as summaries: it reaches history, sums and budgets once, and no webhook.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { budget, callSums, historyPage } from '#lib/contracts';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { HistoryStream, partitionOf, toHistoryCall } from '#lib/transport';
import { startTestGateway, type TestGateway } from '../../test-gateway.js';

const partition = partitionOf('memotree');
let gateway: TestGateway;
let admin: HttpCaller;

beforeAll(async () => {
  gateway = await startTestGateway({ handler: null });
  admin = await gateway.caller({ userId: null, scopes: ['*'] });
}, startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

const put = async (name: string, json: object) => admin.request(`/budgets/${name}`, { method: 'PUT', json: { period: 'month', ...json } });
const spent = async (name: string) => (await admin.get(`/budgets/${name}`)).as(budget).spent;
const rows = async () => (await admin.get('/usage/calls?scope=tenant&by=tool,model,key')).as(callSums).sums;

function work(micros: number) {
  const at = Date.now();
  const used = { model: 'small', inputTokens: 10, outputTokens: 2, micros };
  const what = {
    tenantId: gateway.tenant.id,
    name: 'memotree_summary',
    by: 'worker:memotree',
    isDone: true,
    startedAt: at - 500,
    finishedAt: at,
  };
  return toHistoryCall(partition, { ...what, ...used });
}

test('Work that no caller asked for is spent once, however often it comes, and budgets that it does not meet stay as they are', async () => {
  const { redis, keys, database } = gateway.stores;
  await admin.post('/webhooks', { url: 'https://hooks.example/x', events: ['call.completed', 'call.failed'] });
  await put('all', { limit_micros: 100, limit_calls: 50 });
  await put('summaries', { tool: 'memotree_summary', limit_micros: 1_000 });
  await put('of-a-user', { user: 'somebody', limit_micros: 1_000 });
  const ended = new HistoryStream(redis, keys);
  const first = work(60);
  // A process that is killed between Postgres and Redis leaves it to be read again.
  for (const one of [first, first, work(25)]) await ended.add(partition, one);
  await eventually(async () => (await redis.xlen(keys.endedCalls(partition))) === 0, { what: 'the entries are stored' });
  await ended.add(partition, first);
  await eventually(async () => (await redis.xlen(keys.endedCalls(partition))) === 0, { what: 'the entry is stored again' });

  expect(await spent('all')).toMatchObject({ micros: 85, calls: 2, reserved_micros: 0, reserved_calls: 0 });
  expect(await spent('summaries')).toMatchObject({ micros: 85, calls: 2 });
  expect(await spent('of-a-user')).toMatchObject({ micros: 0, calls: 0 });
  expect(await rows()).toMatchObject([
    { tool_name: 'memotree_summary', model: 'small', credential_id: 'worker:memotree', calls: 2, input_tokens: 20, cost_micros: 85 },
  ]);
  const page = (await admin.get('/history?scope=tenant')).as(historyPage);
  expect(page.calls.map(({ cost_micros }) => cost_micros).toSorted((one, other) => one - other)).toEqual([25, 60]);
  expect(page.calls).toMatchObject([{ tool_name: 'memotree_summary', user_id: null }, { tool_name: 'memotree_summary' }]);
  // The share from which on it warns is reached: a sweeper tells it. Nobody is told of the work itself.
  expect(await redis.hget(`${keys.budgetSlot(gateway.tenant.id)}${await counterOf('all')}:${startOfMonth()}`, 'w')).toMatch(
    /^inv_memotree_/,
  );
  expect(await database.webhookDelivery.count({ where: { tenantId: gateway.tenant.id, type: { startsWith: 'call.' } } })).toBe(0);
  // One that is made afterwards begins with what the history has.
  await put('later', { limit_micros: 1_000 });
  await ended.add(partition, work(5));
  await eventually(async () => (await spent('later')).micros === 90, { what: 'the later budget' });
  expect(await spent('all')).toMatchObject({ micros: 90, calls: 3 });
});

const startOfMonth = () => Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 1);

async function counterOf(name: string): Promise<string> {
  const row = await gateway.stores.database.budget.findUniqueOrThrow({ where: { tenantId_name: { tenantId: gateway.tenant.id, name } } });
  return String(row.counter);
}
