import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { Refusal, type Tier } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { QuotaTracker, RedisKeys } from '#lib/transport';
import { newCaller } from '../../calls/test-request.js';
import { ChatQuota } from './chat-quota.js';

const namespace = newNamespace();
const at = new Date();
let redis: Redis & AsyncDisposable;
let tracker: QuotaTracker;
let quota: ChatQuota;

beforeAll(() => {
  redis = testRedis(namespace);
  tracker = new QuotaTracker({ redis, keys: new RedisKeys(namespace), timeZone: 'UTC' });
  quota = new ChatQuota(tracker, { settings: { GUEST_CHATS_PER_DAY: 5 } });
});
afterAll(async () => redis[Symbol.asyncDispose]());

const isLetIn = async (caller: ReturnType<typeof newCaller>): Promise<boolean> =>
  quota.check(caller, at).then(
    () => true,
    (error: unknown) => !(error instanceof Refusal && error.error.family === 'QUOTA_EXCEEDED'),
  );

/** Users whom a key invents, all of the highest tier. */
function invented(actor: { readonly userId: string | null; readonly tier: Tier }) {
  const key = newCaller({ tier: 'vip', userId: actor.userId });
  let users = 0;
  return { key: { ...key, tier: actor.tier }, next: () => ({ ...key, userId: `invented ${++users}`, actor }) };
}

test('A key that acts for users has its own quota of conversations, however many users it invents', async () => {
  const { key, next } = invented({ userId: null, tier: 'free' });
  const results = [];
  for (let chat = 0; chat < 12; chat++) results.push(await isLetIn(next()));
  expect(results).toEqual([...Array.from({ length: 10 }, () => true), false, false]);
  expect(await isLetIn(key)).toBe(false);
});

test('A key that acts for users has its own quota of tokens, however many users it invents', async () => {
  const { next } = invented({ userId: 'service', tier: 'free' });
  const first = next();
  await tracker.record(first, 50_000);
  expect([await isLetIn(first), await isLetIn(next())]).toEqual([false, false]);
});

test('A key loses nothing to a conversation that its user may not have, or that never began', async () => {
  const { key, next } = invented({ userId: null, tier: 'free' });
  const user = { ...next(), tier: 'free' as const };
  await tracker.record({ ...user, actor: undefined }, 50_000);
  expect(await isLetIn(user)).toBe(false);
  expect(await tracker.usage(key)).toMatchObject({ conversations: 0, tokens: 0 });
  const another = next();
  await quota.check(another, at);
  await quota.refund(another, at);
  expect([await tracker.usage(key), await tracker.usage(another)]).toMatchObject([{ conversations: 0 }, { conversations: 0 }]);
});

test('A user loses nothing to a conversation that its key may not have, and the key nothing twice', async () => {
  const { key, next } = invented({ userId: null, tier: 'free' });
  for (let chat = 0; chat < 10; chat++) await quota.check(next(), at);
  const user = next();
  expect(await isLetIn(user)).toBe(false);
  expect([await tracker.usage(key), await tracker.usage(user)]).toMatchObject([{ conversations: 10 }, { conversations: 0 }]);
});
