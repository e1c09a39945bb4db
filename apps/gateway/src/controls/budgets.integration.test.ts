import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { auditPage, budget, budgetList, callSums, userScopes, type Budget } from '#lib/contracts';
import { eventually, givenStores, HttpCaller, startTimeoutMs, Tenant, type Reply } from '#lib/testing';
import { BudgetCounts, newJobId, partitionOf } from '#lib/transport';
import { BudgetDirectory } from '../rules/spending/budget-directory.js';
import { BudgetSweeper } from '../rules/spending/budget-sweeper.js';
import { mostBudgets } from '../rules/spending/budget-store.js';
import { BudgetTeller } from '../rules/spending/budget-teller.js';
import { TestReceiver } from '../webhooks/test-receiver.js';
import { makeWebhook, startHooking, type Hooking } from '../webhooks/test-webhooks.js';
import { noFaults } from '../test-log.js';

const cents = 10_000;

let gateway: Hooking;
let other: Hooking;
let receiver: TestReceiver;
const tenants: Tenant[] = [];

beforeAll(async () => {
  gateway = await startHooking();
  other = await startHooking(gateway.namespace);
  receiver = await TestReceiver.start();
}, startTimeoutMs);

afterAll(async () => {
  for (const one of tenants) await one[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

/** A tenant of its own, with its administrator and a user at both gateways. */
async function tenant() {
  const made = await Tenant.create(givenStores().databaseUrl);
  tenants.push(made);
  const scopes = ['tenant:admin', 'webhooks', 'approvals', ...userScopes];
  const admin = new HttpCaller(gateway.url, await made.key({ userId: null, tier: 'vip', scopes }));
  const user = new HttpCaller(gateway.url, await made.key({ tier: 'vip', scopes: userScopes }));
  return { id: made.id, made, admin, user, there: user.at(other.url) };
}

const put = async (by: HttpCaller, name: string, json: object) => by.request(`/budgets/${name}`, { method: 'PUT', json });
const buy = async (by: HttpCaller, order: string = randomUUID(), tool = 'test_priced') => by.post(`/tools/${tool}`, { order });
const read = async (by: HttpCaller, name: string) => (await by.get(`/budgets/${name}`)).as(budget);
const errorOf = (reply: Reply) => reply.as(z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) })).error;
const warningsOf = (reply: Reply) =>
  reply.as(z.looseObject({ metadata: z.looseObject({ warnings: z.array(z.string()).optional() }) })).metadata.warnings ?? [];

/** Once all that was held is counted. */
async function settled(by: HttpCaller, name: string): Promise<Budget['spent']> {
  return eventually(async () => {
    const { spent } = await read(by, name);
    return spent.reserved_calls === 0 && spent;
  });
}

/** Once the other gateway knows of the tenant's budgets. */
async function known(id: string, count = 1): Promise<void> {
  await eventually(() => other.app.get(BudgetDirectory).of(id).length === count);
}

describe('A budget', () => {
  test('has exactly the calls that it pays, of 64 callers at once at two gateways, and the history agrees', async () => {
    const { id, made, admin } = await tenant();
    expect((await put(admin, 'all', { period: 'day', limit_micros: 20 * cents })).status).toBe(201);
    await known(id);
    const users = await Promise.all(
      Array.from({ length: 64 }, async (_, place) => {
        const key = await made.key({ userId: `user_${place}`, tier: 'vip', scopes: userScopes });
        return new HttpCaller(place % 2 === 0 ? gateway.url : other.url, key);
      }),
    );
    const replies = await Promise.all(users.map(async (user) => buy(user)));
    expect([200, 429].map((status) => replies.filter((reply) => reply.status === status).length)).toEqual([10, 54]);
    expect(await settled(admin, 'all')).toMatchObject({ micros: 20 * cents, calls: 10, reserved_micros: 0 });
    const { sums } = (await admin.get('/usage/calls?scope=tenant&by=tool')).as(callSums);
    expect(sums).toMatchObject([{ tool_name: 'test_priced', calls: 10, cost_micros: 20 * cents }]);
    expect((await Promise.all(users.map(async (user) => buy(user)))).every(({ status }) => status === 429)).toBe(true);
  });

  test('says why it refuses in words for a model, and when it begins anew; what costs nothing goes on', async () => {
    const { admin, user } = await tenant();
    await put(admin, 'small', { period: 'month', time_zone: 'Europe/Berlin', limit_micros: 3 * cents });
    expect((await buy(user)).status).toBe(200);
    const refused = await buy(user);
    const { spent } = await read(admin, 'small');
    expect(refused.status).toBe(429);
    expect(errorOf(refused)).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      budget: 'small',
      limit_micros: 3 * cents,
      used_micros: 2 * cents,
      resets_at: spent.resets_at,
      message: expect.stringMatching(
        /^The budget 'small' of your tenant is used up for this month: 0\.02 US dollars of 0\.03 US dollars .* costs 0\.02/,
      ),
    });
    expect((await buy(user, 'a', 'test_plain')).status).toBe(200);
    await put(admin, 'small', { period: 'month', time_zone: 'Europe/Berlin', limit_micros: 4 * cents });
    expect((await buy(user)).status).toBe(200);
    expect((await buy(user)).status).toBe(429);
    await admin.delete('/budgets/small');
    expect((await buy(user)).status).toBe(200);
  });

  test('is of a user, of a key or of a tool, and bounds calls too; all that bound a call hold it, or none', async () => {
    const { made, admin, user } = await tenant();
    const second = new HttpCaller(gateway.url, await made.key({ userId: 'second', tier: 'vip', scopes: userScopes }));
    await put(admin, 'b-user', { user: 'second', period: 'day', limit_calls: 2 });
    await put(admin, 'a-tool', { tool: 'test_plain', period: 'day', limit_calls: 3 });
    const statuses = [];
    for (const [by, tool] of [
      [second, 'test_plain'],
      [second, 'test_priced'],
      [second, 'test_plain'],
      [user, 'test_plain'],
      [user, 'test_plain'],
      [user, 'test_plain'],
      [user, 'test_priced'],
    ] as const)
      statuses.push((await buy(by, randomUUID(), tool)).status);
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429, 200]);
    expect(await settled(admin, 'a-tool')).toMatchObject({ calls: 3 });
    expect(await settled(admin, 'b-user')).toMatchObject({ calls: 2, micros: 2 * cents });
  });

  test('is not spent by an answer that is there already, nor by a call that did not run, and forbids no replay', async () => {
    const { admin, user } = await tenant();
    await put(admin, 'all', { period: 'day', limit_micros: 4 * cents });
    for (let round = 0; round < 4; round++) expect((await buy(user, 'one', 'test_priced_cached')).status).toBe(200);
    expect(await settled(admin, 'all')).toMatchObject({ micros: 2 * cents, calls: 1 });
    const later = { name: 'test_priced', arguments: { order: 'a' }, options: { delay_ms: 60_000 } };
    const { job_id } = (await user.post('/tools/call', later)).as(z.looseObject({ job_id: z.string() }));
    expect((await read(admin, 'all')).spent).toMatchObject({ reserved_micros: 2 * cents, reserved_calls: 1 });
    expect((await buy(user)).status).toBe(429);
    await user.delete(`/jobs/${job_id}`);
    expect(await settled(admin, 'all')).toMatchObject({ micros: 2 * cents, calls: 1 });
    const again = { 'idempotency-key': randomUUID() };
    const first = await user.post('/tools/test_priced', { order: 'b' }, again);
    const replayed = await user.post('/tools/test_priced', { order: 'b' }, again);
    expect([first.status, replayed.status, (await buy(user)).status]).toEqual([200, 200, 429]);
    expect((await buy(user, 'one', 'test_priced_cached')).status).toBe(200);
    expect((await user.post('/tools/test_priced', { order: 'c' }, again)).status).toBe(422);
    expect(await settled(admin, 'all')).toMatchObject({ micros: 4 * cents, calls: 2 });
  });

  test('warns once, in the answer and by webhook, and tells once that it is exceeded', async () => {
    const { id, admin, user, there } = await tenant();
    await makeWebhook(admin, { url: receiver.url, events: ['budget.warning', 'budget.exceeded'] });
    await put(admin, 'all', { period: 'day', limit_micros: 10 * cents, warn_at: 0.5 });
    await known(id);
    const warned: number[] = [];
    for (let call = 0; call < 5; call++) warned.push(warningsOf(await buy(call % 2 === 0 ? user : there)).length);
    expect(warned).toEqual([0, 0, 1, 0, 0]);
    for (let call = 0; call < 4; call++) expect((await buy(call % 2 === 0 ? user : there)).status).toBe(429);
    const told = await eventually(async () => {
      const found = receiver.received.filter(({ data }) => data['tenant_id'] === id);
      return found.length >= 2 && found;
    });
    expect(told.map(({ type }) => type).toSorted()).toEqual(['budget.exceeded', 'budget.warning']);
    expect(told.find(({ type }) => type === 'budget.warning')?.data).toMatchObject({
      budget: 'all',
      limit_micros: 10 * cents,
      warn_at: 0.5,
      links: { self: expect.stringMatching(/\/budgets\/all$/) },
    });
    const sweeper = sweeperAt(Date.now());
    await sweeper.sweep();
    expect(receiver.received.filter(({ data }) => data['tenant_id'] === id)).toHaveLength(2);
  });

  test('of one tenant is neither seen nor felt by another', async () => {
    const [one, two] = [await tenant(), await tenant()];
    await put(one.admin, 'none', { period: 'day', limit_calls: 0 });
    expect([(await buy(one.user)).status, (await buy(two.user)).status]).toEqual([429, 200]);
    expect((await two.admin.get('/budgets')).as(budgetList).budgets).toEqual([]);
    expect([(await two.admin.get('/budgets/none')).status, (await two.admin.delete('/budgets/none')).status]).toEqual([404, 404]);
    expect((await one.user.get('/budgets')).status).toBe(403);
    expect((await put(two.admin, 'theirs', { tenant: one.id, period: 'day', limit_calls: 0 })).status).toBe(400);
  });

  test('that is made, or whose counters Redis has lost, begins with what the history has', async () => {
    const { id, admin, user } = await tenant();
    await put(admin, 'a', { period: 'month', limit_micros: 6 * cents });
    for (let call = 0; call < 2; call++) expect((await buy(user)).status).toBe(200);
    await settled(admin, 'a');
    await put(admin, 'b', { period: 'day', limit_calls: 3 });
    expect((await read(admin, 'b')).spent).toMatchObject({ calls: 2, micros: 4 * cents });
    const { redis, keys } = gateway.stores;
    await redis.del(keys.budgetsKnown(id));
    expect([(await buy(user)).status, (await buy(user)).status]).toEqual([200, 429]);
    expect(await settled(admin, 'a')).toMatchObject({ micros: 6 * cents, calls: 3 });
    expect(await settled(admin, 'b')).toMatchObject({ micros: 6 * cents, calls: 3 });
  });

  test('gets back what a gateway held that was killed, and counts what ended without an entry', async () => {
    const { id, admin, user } = await tenant();
    await put(admin, 'all', { period: 'day', limit_micros: 6 * cents });
    await read(admin, 'all');
    const counts = gateway.app.get(BudgetCounts);
    const [ready] = gateway.app.get(BudgetDirectory).of(id);
    if (!ready) throw new Error('no budget');
    const lost = newJobId(partitionOf('profile'));
    const { redis, keys } = gateway.stores;
    await counts.reserve(id, { jobId: lost, tool: 'test_priced', micros: 2 * cents, now: Date.now() }, [ready.at(Date.now())]);
    const reply = await user.post('/tools/test_priced', { order: 'a' }, { prefer: 'respond-async' });
    const ended = (reply.headers.get('location') ?? '').replace('/jobs/', '');
    await settled(admin, 'all').catch(() => undefined);
    await user.get(`/jobs/${ended}?wait=10`);
    await eventually(async () => (await read(admin, 'all')).spent.reserved_calls === 1);
    // Its end is held again, as if its entry had been lost.
    await redis.hset(keys.budgetsHeld(id), ended, (await redis.hget(keys.budgetsHeld(id), lost)) ?? '');
    await sweeperAt(Date.now()).sweep();
    expect((await read(admin, 'all')).spent).toMatchObject({ reserved_calls: 1, calls: 1 });
    await sweeperAt(Date.now() + 400_000).sweep();
    expect(await redis.hlen(keys.budgetsHeld(id))).toBe(0);
    expect((await read(admin, 'all')).spent).toMatchObject({ calls: 2, micros: 4 * cents });
  });

  test('is changed in place, listed by name and told in the audit', async () => {
    const { admin } = await tenant();
    await put(admin, 'b', { period: 'day', limit_calls: 3 });
    await put(admin, 'a', { user: 'u', period: 'month', time_zone: 'Asia/Shanghai', limit_micros: 5, warn_at: 1 });
    expect((await put(admin, 'b', { period: 'day', limit_calls: 4 })).status).toBe(200);
    const { budgets } = (await admin.get('/budgets')).as(budgetList);
    expect(budgets).toMatchObject([
      { name: 'a', user: 'u', period: 'month', time_zone: 'Asia/Shanghai', limit_micros: 5, limit_calls: null, warn_at: 1 },
      { name: 'b', user: null, period: 'day', time_zone: 'UTC', limit_micros: null, limit_calls: 4, warn_at: 0.8 },
    ]);
    const { events } = (await admin.get('/audit?limit=20')).as(auditPage);
    expect(events.filter(({ action }) => action.startsWith('budget.')).map(({ action, subject }) => [action, subject])).toEqual([
      ['budget.update', 'b'],
      ['budget.insert', 'a'],
      ['budget.insert', 'b'],
    ]);
  });

  test.each<[string, string, object, string]>([
    ['no limit', 'x', { period: 'day' }, 'limit_micros'],
    ['a period that is none', 'x', { period: 'week', limit_calls: 1 }, 'period'],
    ['a time zone that is none', 'x', { period: 'day', limit_calls: 1, time_zone: 'Mars/Olympus' }, 'time_zone'],
    ['a limit below nothing', 'x', { period: 'day', limit_micros: -1 }, 'limit_micros'],
    ['a limit that no number holds', 'x', { period: 'day', limit_micros: 1e18 }, 'limit_micros'],
    ['a share above the whole', 'x', { period: 'day', limit_calls: 1, warn_at: 80 }, 'warn_at'],
    ['a name with a slash', 'a%2Fb', { period: 'day', limit_calls: 1 }, 'name'],
    ['a field that it does not have', 'x', { period: 'day', limit_calls: 1, users: ['a'] }, 'users'],
  ])('is refused for %s', async (_, name, body, path) => {
    const { admin } = await tenant();
    const refused = await put(admin, name, body);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(path)]);
  });

  test('is one of at most a hundred, also when many are made at once', async () => {
    const { admin } = await tenant();
    const statuses: number[] = [];
    for (let round = 0; round < 11; round++)
      statuses.push(
        ...(await Promise.all(
          Array.from(
            { length: 10 },
            async (__, place) => (await put(admin, `p${round}-${place}`, { period: 'day', limit_calls: 1 })).status,
          ),
        )),
      );
    expect([201, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([mostBudgets, 10]);
  });
});

function sweeperAt(now: number): BudgetSweeper {
  const { app, stores } = gateway;
  const { store, keys } = stores;
  const [directory, counts, teller] = [app.get(BudgetDirectory), app.get(BudgetCounts), app.get(BudgetTeller)];
  return new BudgetSweeper({ store, keys, log: noFaults }, directory, counts, teller, { now: () => now });
}
