import { afterAll, expect, test } from '@jest/globals';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { CallCounts } from './call-counts.js';
import { RedisKeys } from '../redis/redis-keys.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const counts = new CallCounts(redis, new RedisKeys(namespace));

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

let callers = 0;
function newCaller() {
  return { principal: `user:t:${++callers}`, credentialId: 'k', day: '2026-11-21' };
}

test('of calls at the same moment exactly the allowed number passes', async () => {
  const caller = newCaller();
  const spendings = await Promise.all(Array.from({ length: 50 }, () => counts.spend(caller, { perSecond: 1_000, perDay: 20 })));
  expect(spendings.filter(({ kind }) => kind === 'spent')).toHaveLength(20);
  expect(spendings.filter(({ kind }) => kind === 'quota')).toHaveLength(30);
});

test('a call over the rate does not count against the day', async () => {
  const caller = newCaller();
  const most = { perSecond: 2, perDay: 3 };
  const kinds = [];
  for (let call = 0; call < 4; call++) kinds.push((await counts.spend(caller, most)).kind);
  expect(kinds).toEqual(['spent', 'spent', 'rate', 'rate']);
  await eventually(async () => (await counts.spend(caller, most)).kind === 'spent');
  expect(await counts.spend({ ...caller, credentialId: 'other' }, most)).toEqual({ kind: 'quota' });
});

test('the rate says when its second is over, and belongs to one credential', async () => {
  const caller = newCaller();
  const most = { perSecond: 1, perDay: 100 };
  await counts.spend(caller, most);
  const spending = await counts.spend(caller, most);
  expect(spending).toEqual({ kind: 'rate', retryAfterMs: expect.any(Number) });
  if (spending.kind === 'rate') expect(spending.retryAfterMs).toBeLessThanOrEqual(1_000);
  expect(await counts.spend({ ...caller, credentialId: 'other' }, most)).toMatchObject({ kind: 'spent', calls: 1 });
});

test('a call given back can be spent again, and giving back more than was spent gives nothing', async () => {
  const caller = newCaller();
  const most = { perSecond: 100, perDay: 1 };
  await counts.spend(caller, most);
  expect(await counts.spend(caller, most)).toEqual({ kind: 'quota' });
  for (let call = 0; call < 3; call++) await counts.refund(caller);
  expect(await counts.spend(caller, most)).toMatchObject({ kind: 'spent', calls: 1 });
  expect(await counts.spend(caller, most)).toEqual({ kind: 'quota' });
});

test('of several calls as many are counted as both limits have room for', async () => {
  const caller = newCaller();
  const take = (calls: number, counted: number, most = { perSecond: 100, perDay: 30 }) => counts.spend(caller, most, { calls, counted });
  expect(await take(20, 0)).toEqual({ kind: 'spent', calls: 20, newOfDay: 20, leftMs: 1_000 });
  // Five of these are counted for the day before.
  expect(await take(20, 5)).toMatchObject({ kind: 'spent', calls: 15, newOfDay: 10 });
  expect(await take(20, 0)).toEqual({ kind: 'quota' });
  expect(await take(5, 5)).toMatchObject({ kind: 'spent', calls: 5, newOfDay: 0 });
  expect(await take(20, 20, { perSecond: 50, perDay: 30 })).toMatchObject({ kind: 'spent', calls: 10, newOfDay: 0 });
  expect(await take(1, 1, { perSecond: 50, perDay: 30 })).toMatchObject({ kind: 'rate' });
  await counts.refund(caller, 10);
  expect(await take(20, 0)).toMatchObject({ kind: 'spent', calls: 10, newOfDay: 10 });
});
