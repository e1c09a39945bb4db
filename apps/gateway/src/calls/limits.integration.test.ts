import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { Refusal, type Tier } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { CallCounts, Metrics, RedisKeys } from '#lib/transport';
import { Limits } from './limits.js';
import { newCaller } from './test-request.js';

const namespace = newNamespace();
let redis: Redis & AsyncDisposable;
let limits: Limits;

beforeAll(() => {
  redis = testRedis(namespace);
  limits = new Limits(new CallCounts(redis, new RedisKeys(namespace)), {
    metrics: new Metrics(),
    settings: {
      RATE_LIMIT_FREE: 2,
      RATE_LIMIT_PRO: 1_000,
      RATE_LIMIT_VIP: 1_000,
      TOOL_QUOTA_FREE: 1_000,
      TOOL_QUOTA_PRO: 3,
      TOOL_QUOTA_VIP: 4,
    },
  });
});
afterAll(async () => redis[Symbol.asyncDispose]());

async function spent(caller: ReturnType<typeof newCaller>, at: string, times: number): Promise<readonly string[]> {
  const results: string[] = [];
  for (let turn = 0; turn < times; turn++)
    results.push(
      await limits.spend(caller, new Date(at)).then(
        () => 'spent',
        (error: unknown) => (error instanceof Refusal ? error.error.family : String(error)),
      ),
    );
  return results;
}

describe('the quota of a day', () => {
  test.each<[Tier, number]>([
    ['pro', 3],
    ['vip', 4],
  ])('of %s is %i calls', async (tier, most) => {
    const results = await spent(newCaller({ tier }), '2026-11-22T10:00:00Z', most + 2);
    expect(results).toEqual([...Array.from({ length: most }, () => 'spent'), 'QUOTA_EXCEEDED', 'QUOTA_EXCEEDED']);
  });

  test('begins anew at midnight UTC, and not a millisecond before', async () => {
    const caller = newCaller();
    expect(await spent(caller, '2026-11-22T00:00:00.000Z', 3)).toEqual(['spent', 'spent', 'spent']);
    expect(await spent(caller, '2026-11-22T23:59:59.999Z', 1)).toEqual(['QUOTA_EXCEEDED']);
    expect(await spent(caller, '2026-11-23T00:00:00.000Z', 1)).toEqual(['spent']);
  });

  test('is one for all credentials of a user, and another for each user', async () => {
    const caller = newCaller();
    expect(await spent(caller, '2026-11-22', 2)).toEqual(['spent', 'spent']);
    expect(await spent({ ...caller, credentialId: 'second key' }, '2026-11-22', 2)).toEqual(['spent', 'QUOTA_EXCEEDED']);
    expect(await spent({ ...caller, userId: 'another' }, '2026-11-22', 1)).toEqual(['spent']);
  });

  test('says when it begins anew', async () => {
    const caller = newCaller();
    const at = new Date('2026-12-31T23:59:00Z');
    for (let turn = 0; turn < 3; turn++) await limits.spend(caller, at);
    await expect(limits.spend(caller, at)).rejects.toMatchObject({
      error: { extra: { limit: 3, resets_at: '2027-01-01T00:00:00.000Z', resets_in_seconds: 60 } },
    });
  });

  test('has a call back that was never run', async () => {
    const caller = newCaller();
    const at = new Date('2026-11-22');
    for (let turn = 0; turn < 3; turn++) await limits.spend(caller, at);
    await limits.refund(caller, at);
    expect(await spent(caller, '2026-11-22', 2)).toEqual(['spent', 'QUOTA_EXCEEDED']);
  });

  test('has it back for the day on which it was counted, not for one that has begun since', async () => {
    const caller = newCaller();
    const [before, after] = [new Date('2026-11-22T23:59:59.999Z'), new Date('2026-11-23T00:00:00.000Z')];
    await limits.spend(caller, before);
    for (let turn = 0; turn < 3; turn++) await limits.spend(caller, after);
    await limits.refund(caller, before);
    expect(await spent(caller, after.toISOString(), 1)).toEqual(['QUOTA_EXCEEDED']);
    expect(await spent(caller, before.toISOString(), 4)).toEqual(['spent', 'spent', 'spent', 'QUOTA_EXCEEDED']);
  });
});

test('the rate is one for all users of a credential, and refused calls are not counted for the day', async () => {
  const caller = newCaller({ tier: 'free' });
  const results = await spent(caller, '2026-11-22', 4);
  expect(results.slice(0, 2)).toEqual(['spent', 'spent']);
  expect(results).toContain('RATE_LIMITED');
});

describe('A key that acts for users', () => {
  const acting = (actor: { userId: string | null; tier: Tier }) => {
    const key = newCaller({ tier: 'vip' });
    let users = 0;
    return () => ({ ...key, userId: `invented ${++users}`, actor });
  };

  test('has its own quota, however many users it invents', async () => {
    const next = acting({ userId: null, tier: 'pro' });
    const results = [];
    for (let call = 0; call < 5; call++) results.push(...(await spent(next(), '2026-11-22', 1)));
    expect(results).toEqual(['spent', 'spent', 'spent', 'QUOTA_EXCEEDED', 'QUOTA_EXCEEDED']);
  });

  test('has its own rate, however many users it invents', async () => {
    const next = acting({ userId: 'service', tier: 'free' });
    const results = await Promise.all(Array.from({ length: 6 }, () => spent(next(), '2026-11-22', 1)));
    expect(results.flat().filter((result) => result === 'RATE_LIMITED')).toHaveLength(4);
  });

  test('is counted together with its own calls', async () => {
    const key = newCaller({ userId: null, tier: 'pro' });
    expect(await spent(key, '2026-11-22', 2)).toEqual(['spent', 'spent']);
    const forUser = { ...key, userId: 'u', actor: { userId: null, tier: 'pro' as const } };
    expect(await spent(forUser, '2026-11-22', 2)).toEqual(['spent', 'QUOTA_EXCEEDED']);
  });

  test('loses nothing to a call that its user may not make, or that was never run', async () => {
    const key = newCaller({ userId: null, tier: 'vip' });
    const forUser = { ...key, userId: 'u', tier: 'pro' as const, actor: { userId: null, tier: 'vip' as const } };
    expect(await spent(forUser, '2026-11-22', 4)).toEqual(['spent', 'spent', 'spent', 'QUOTA_EXCEEDED']);
    await limits.refund(forUser, new Date('2026-11-22'));
    expect(await spent(key, '2026-11-22', 3)).toEqual(['spent', 'spent', 'QUOTA_EXCEEDED']);
  });
});
