// Whatever changes between two requests in the same words is seen by the second.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { principal, userScopes } from '#lib/contracts';
import { utcDay } from '#lib/platform';
import { eventually, givenStores, HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import { CallCounts } from '#lib/transport';
import { order, TestEdge } from './test-edge.js';

const secret = 'a secret of at least thirty-two characters';
const issuer = 'https://id.example';
/** A second, and what the machine of a test may add to it. */
const soon = { withinMs: 3_000 };

let edge: TestEdge;
const tenants: Tenant[] = [];

beforeAll(async () => {
  edge = await TestEdge.start({ JWT_ISSUER: issuer, JWT_AUDIENCE: 'invoq', JWT_SECRET: secret });
}, startTimeoutMs);
afterAll(async () => {
  for (const one of tenants) await one[Symbol.asyncDispose]();
  await edge?.[Symbol.asyncDispose]();
});

async function tenant() {
  const made = await Tenant.create(givenStores().databaseUrl);
  tenants.push(made);
  return made;
}

const idOf = (key: string) => /^invoq_([^_]+)/.exec(key)?.[1] ?? '';

describe('Between two requests', () => {
  test('a key that is revoked ends within a second', async () => {
    const admin = await edge.gateway.caller({ userId: null, scopes: ['*'] });
    const key = await edge.gateway.tenant.key();
    const sent = { body: order() };
    await edge.repeated(key, sent);
    await admin.request(`/keys/${idOf(key)}`, { method: 'DELETE' });
    await eventually(async () => (await edge.send(key, sent)).status === 401, soon);
    for (let time = 0; time < 5; time++) expect((await edge.send(key, sent)).status).toBe(401);
  });

  test('a key that is changed has its new rights within a second', async () => {
    const made = await tenant();
    const key = await made.key({ scopes: userScopes });
    const sent = { body: order() };
    await edge.repeated(key, sent);
    await edge.gateway.stores.database.apiKey.update({ where: { id: idOf(key) }, data: { scopes: ['tools:write'] } });
    await eventually(async () => (await edge.send(key, sent)).status === 403, soon);
    await edge.gateway.stores.database.apiKey.update({
      where: { id: idOf(key) },
      data: { scopes: [...userScopes], tools: ['test_plain'] },
    });
    await eventually(async () => (await edge.send(key, sent)).status === 404, soon);
  });

  test('a token that has expired is none any more, and one that lives is answered on and on', async () => {
    const sign = async (seconds: number) =>
      new SignJWT({ tenant_id: edge.gateway.tenant.id, tier: 'vip' })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('jwt-user')
        .setIssuer(issuer)
        .setAudience('invoq')
        .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds)
        .sign(new TextEncoder().encode(secret));
    const sent = { body: order() };
    const long = await sign(60);
    await edge.repeated(long, sent);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await edge.repeated(long, sent);
    const over = await sign(-3);
    await edge.repeated(over, sent);
    await eventually(async () => (await edge.send(over, sent)).status === 401);
  });

  test('a policy of the tenant is heeded, and given up again', async () => {
    const made = await tenant();
    const admin = new HttpCaller(edge.gateway.url, await made.key({ userId: null, scopes: ['tenant:admin', ...userScopes] }));
    const key = await made.key();
    const sent = { body: order('gold') };
    await edge.repeated(key, sent);
    const put = await admin.request('/policies/no-gold', { method: 'PUT', json: { when: 'args.order == "gold"', then: 'deny' } });
    expect(put.status).toBe(201);
    await eventually(async () => (await edge.send(key, sent)).status === 403, soon);
    expect(await edge.send(key, { body: order() })).toMatchObject({ status: 200 });
    await admin.request('/policies/no-gold', { method: 'DELETE' });
    await eventually(async () => (await edge.send(key, sent)).status === 200, soon);
    await edge.repeated(key, sent);
  });

  test('a set that loses its tool has it no more', async () => {
    const made = await tenant();
    const admin = new HttpCaller(edge.gateway.url, await made.key({ userId: null, scopes: ['tenant:admin', ...userScopes] }));
    const set = (tool: string) => ({ tools: [tool], rename: { [tool]: 'maker' } });
    const put = await admin.request('/toolsets/few', { method: 'PUT', json: set('test_cached') });
    expect([put.status, put.text]).toEqual([201, expect.any(String)]);
    const key = await made.key({ toolset: 'few' });
    const sent = { path: '/tools/maker', body: order() };
    await eventually(async () => (await edge.send(key, sent)).status === 200, soon);
    await edge.repeated(key, sent);
    await admin.request('/toolsets/few', { method: 'PUT', json: set('test_plain') });
    await eventually(async () => (await edge.send(key, sent)).json.metadata.cache === undefined, soon);
  });

  test('two tenants with the same words have answers of their own', async () => {
    const keys = [await (await tenant()).key(), await (await tenant()).key()];
    const sent = { body: order() };
    const made = [];
    for (const key of [...keys, ...keys, ...keys]) made.push((await edge.repeated(key, sent)).json.data?.made);
    expect(new Set(made).size).toBe(2);
    expect(made.filter((_, index) => index % 2 === 0)).toEqual([made[0], made[0], made[0]]);
  });
});

test(
  'Limits are never exceeded by 64 callers at once, and nearly all is let pass',
  async () => {
    const perDay = 100_000;
    const left = 400;
    await using limited = await TestEdge.start({ RATE_LIMIT_FREE: '1000000', TOOL_QUOTA_FREE: String(perDay) });
    const key = await limited.gateway.tenant.key({ tier: 'free' });
    const { redis, keys } = limited.gateway.stores;
    const caller = { tenantId: limited.gateway.tenant.id, userId: 'user_001', credentialId: idOf(key) };
    const who = { principal: principal(caller), credentialId: caller.credentialId, day: utcDay(new Date()) };
    await new CallCounts(redis, keys).spend(who, { perSecond: 1_000_000, perDay }, { calls: perDay - left, counted: 0 });
    const statuses: number[] = [];
    const request = { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body: order() };
    const call = async () => {
      const response = await fetch(`${limited.gateway.url}/tools/test_cached`, request);
      await response.text();
      statuses.push(response.status);
    };
    await call();
    const caller64 = async () => {
      for (let time = 0; time < 9; time++) await call();
    };
    await Promise.all(Array.from({ length: 64 }, caller64));
    const passed = statuses.filter((status) => status === 200).length;
    expect([passed <= left, passed >= left - 100, limited.answers > 100]).toEqual([true, true, true]);
    expect(statuses.length - passed).toBe(statuses.filter((status) => status === 429).length);
    expect(Number(await redis.get(keys.callsOfDay(who.principal, who.day)))).toBeLessThanOrEqual(perDay);
  },
  startTimeoutMs,
);
