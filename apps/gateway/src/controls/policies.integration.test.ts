import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { auditPage, policy, policyList, policyVerdict, userScopes, type Outcome } from '#lib/contracts';
import { eventually, givenStores, HttpCaller, newNamespace, startTimeoutMs, Tenant, type Reply } from '#lib/testing';
import { mostPolicies } from '../rules/policy-store.js';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

let gateway: TestGateway;
let other: TestGateway;
let ran = 0;
const tenants: Tenant[] = [];

beforeAll(async () => {
  const namespace = newNamespace();
  const settings = { SEALING_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
  const handler = (): Outcome => ({ ok: true, data: { made: String((ran += 1)) } });
  gateway = await startTestGateway({ namespace, settings, handler });
  other = await startTestGateway({ namespace, settings, handler: null });
}, startTimeoutMs);

afterAll(async () => {
  for (const one of tenants) await one[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

/** A tenant of its own, with its administrator and a user, at both gateways. */
async function tenant() {
  const made = await Tenant.create(givenStores().databaseUrl);
  tenants.push(made);
  const [admin, user] = [
    new HttpCaller(gateway.url, await made.key({ userId: null, tier: 'vip', scopes: ['tenant:admin', 'approvals', ...userScopes] })),
    new HttpCaller(gateway.url, await made.key({ scopes: userScopes })),
  ];
  return { admin, user, there: user.at(other.url) };
}

const put = async (by: HttpCaller, name: string, json: object) => by.request(`/policies/${name}`, { method: 'PUT', json });
const call = async (by: HttpCaller, order: string = randomUUID()) => by.post('/tools/test_plain', { order });
const errorOf = (reply: Reply) =>
  reply.as(z.looseObject({ error: z.looseObject({ code: z.string(), native_code: z.string().optional(), message: z.string() }) })).error;

describe('A policy', () => {
  test('denies the calls for which it holds, at every gateway and door, until it is deleted', async () => {
    const { admin, user, there } = await tenant();
    expect((await call(user)).status).toBe(200);
    const made = await put(admin, 'no-gold', { when: 'args.order.startsWith("gold")', then: 'deny', message: 'Gold is sold by people.' });
    expect([made.status, made.headers.get('location')]).toEqual([201, '/policies/no-gold']);
    expect(made.as(policy)).toMatchObject({ name: 'no-gold', then: 'deny', expires_ms: null, self: false, problem: null });
    const before = ran;
    const denied = await call(user, 'gold-1');
    expect([denied.status, errorOf(denied)]).toEqual([
      403,
      expect.objectContaining({ code: 'PERMISSION_DENIED', native_code: 'POLICY', message: 'Gold is sold by people.', policy: 'no-gold' }),
    ]);
    await eventually(async () => (await call(there, 'gold-2')).status === 403);
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'test_plain', arguments: { order: 'gold-3' } } };
    expect((await user.post('/mcp', rpc)).text).toContain('Gold is sold by people.');
    expect(ran).toBe(before);
    expect((await call(user, 'silver')).status).toBe(200);
    expect((await admin.delete('/policies/no-gold')).status).toBe(200);
    expect((await call(user, 'gold-4')).status).toBe(200);
    await eventually(async () => (await call(there, 'gold-5')).status === 200);
  });

  test('that asks has the call rest until somebody with the right approves it', async () => {
    const { admin, user } = await tenant();
    await put(admin, 'ask', { when: 'tool.effect == "write" || args.order == "big"', then: 'ask', message: 'May it?', expires_ms: 60_000 });
    const resting = await call(user, 'big');
    expect(resting.status).toBe(202);
    const { rest } = resting.as(z.looseObject({ rest: z.looseObject({ reason: z.string(), input_request: z.string() }) }));
    expect(rest.reason).toBe('approval');
    const asked = (await admin.get(`/input-requests/${rest.input_request}?scope=tenant`)).as(z.looseObject({ message: z.string() }));
    expect(asked.message).toBe('May it?');
  });

  test('of one tenant is neither seen nor felt by another', async () => {
    const [one, two] = [await tenant(), await tenant()];
    await put(one.admin, 'all', { when: 'true', then: 'deny' });
    expect((await call(one.user)).status).toBe(403);
    expect((await call(two.user)).status).toBe(200);
    expect((await two.admin.get('/policies')).as(policyList).policies).toEqual([]);
    expect((await two.admin.get('/policies/all')).status).toBe(404);
    expect((await two.admin.delete('/policies/all')).status).toBe(404);
    expect((await one.user.get('/policies')).status).toBe(403);
  });

  test('is changed in place, listed by name, and told in the audit', async () => {
    const { admin, user } = await tenant();
    await put(admin, 'b', { when: 'true', then: 'deny' });
    await put(admin, 'a', { when: 'args.order == "x"', then: 'ask' });
    const changed = await put(admin, 'b', { when: 'false', then: 'deny' });
    expect(changed.status).toBe(200);
    expect((await call(user)).status).toBe(200);
    const { policies } = (await admin.get('/policies')).as(policyList);
    expect(policies.map(({ name, when }) => [name, when])).toEqual([
      ['a', 'args.order == "x"'],
      ['b', 'false'],
    ]);
    const { events } = (await admin.get('/audit?limit=20')).as(auditPage);
    expect(events.filter(({ action }) => action.startsWith('policy.')).map(({ action, subject }) => [action, subject])).toEqual([
      ['policy.update', 'b'],
      ['policy.insert', 'a'],
      ['policy.insert', 'b'],
    ]);
  });

  test.each<[string, string, object, string]>([
    ['an expression that is none', 'x', { when: 'args.', then: 'deny' }, 'when'],
    ['a field that no tool has', 'x', { when: 'tool.nam == "a"', then: 'deny' }, 'when'],
    ['a ruling that is none', 'x', { when: 'true', then: 'allow' }, 'then'],
    ['what only a question has', 'x', { when: 'true', then: 'deny', self: true }, 'self'],
    ['a name with a slash', 'a%2Fb', { when: 'true', then: 'deny' }, 'name'],
    ['an expression of 3,000 characters', 'x', { when: `${'true && '.repeat(400)}true`, then: 'deny' }, 'when'],
  ])('is refused for %s', async (_, name, body, path) => {
    const { admin } = await tenant();
    const refused = await put(admin, name, body);
    expect([refused.status, errorOf(refused).message]).toEqual([400, expect.stringContaining(path)]);
    expect((await admin.get('/policies')).as(policyList).policies).toEqual([]);
  });

  test('is one of at most a hundred, also when many are made at once', async () => {
    const { admin } = await tenant();
    const statuses: number[] = [];
    for (let round = 0; round < 11; round++)
      statuses.push(
        ...(await Promise.all(
          Array.from({ length: 10 }, async (__, place) => (await put(admin, `p${round}-${place}`, { when: 'false', then: 'deny' })).status),
        )),
      );
    expect([statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 429).length]).toEqual([
      mostPolicies,
      10,
    ]);
  });
});

test('A call is tried without being made: what each policy says, and why', async () => {
  const { admin, user } = await tenant();
  await put(admin, 'a', { when: 'args.order == "x" && caller.tier == "free"', then: 'deny', message: 'No.' });
  await put(admin, 'b', { when: 'args.none == 1', then: 'ask' });
  const before = ran;
  const tried = async (json: object) => (await admin.post('/policies/test', json)).as(policyVerdict);
  const first = await tried({ tool: 'test_plain', arguments: { order: 'x' }, caller: { tier: 'free' } });
  expect(first).toMatchObject({ outcome: 'deny', policy: 'a', message: 'No.' });
  expect(first.policies[0]).toMatchObject({
    name: 'a',
    holds: true,
    because: [
      { part: 'args.order == "x"', value: true },
      { part: 'caller.tier == "free"', value: true },
    ],
  });
  const second = await tried({ tool: 'test_plain', arguments: { order: 'x' }, caller: { tier: 'vip' } });
  expect(second).toMatchObject({ outcome: 'deny', policy: 'b', message: expect.stringContaining('No such key: none') });
  const given = { when: 'now.getFullYear() == 2031', then: 'ask', message: 'New year?' };
  expect(await tried({ tool: 'test_plain', arguments: { order: 'x' }, policy: given, at: '2031-01-01T00:00:00Z' })).toMatchObject({
    outcome: 'ask',
    policy: null,
    message: 'New year?',
  });
  expect(await tried({ tool: 'test_plain', arguments: { order: 'x' }, policy: given })).toMatchObject({ outcome: 'allow' });
  expect((await admin.post('/policies/test', { tool: 'test_plain', arguments: {}, policy: { when: 'true' } })).status).toBe(400);
  expect((await admin.post('/policies/test', { tool: 'test_plain', arguments: { order: 'x' }, policy: { when: 'tru' } })).status).toBe(400);
  expect((await user.post('/policies/test', { tool: 'test_plain', arguments: { order: 'x' } })).status).toBe(403);
  expect(ran).toBe(before);
});
