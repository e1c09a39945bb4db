import { describe, expect, test } from '@jest/globals';
import { chatLimits } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { RedisKeys } from '../redis/redis-keys.js';
import { dayOf, endOfDay, QuotaTracker } from './quota-tracker.js';

const who = { tenantId: 't', userId: 'u', credentialId: 'k' };

describe('a quota of days', () => {
  test('begins anew at midnight of its zone, and not at that of another', async () => {
    const namespace = newNamespace();
    await using redis = testRedis(namespace);
    let now = new Date('2026-03-01T15:59:59.999Z');
    const tracker = new QuotaTracker({ redis, keys: new RedisKeys(namespace), timeZone: 'Asia/Shanghai', now: () => now });
    for (let turn = 0; turn < 10; turn++) expect(await tracker.check(who, chatLimits.free)).toBe('ok');
    expect(await tracker.check(who, chatLimits.free)).toBe('conversations');
    expect(await tracker.usage(who)).toEqual({ conversations: 10, tokens: 0, resetsAt: new Date('2026-03-01T16:00:00.000Z') });
    now = new Date('2026-03-01T16:00:00.000Z');
    expect(await tracker.check(who, chatLimits.free)).toBe('ok');
  });

  test('gets a conversation back for the day on which it was counted', async () => {
    const namespace = newNamespace();
    await using redis = testRedis(namespace);
    const [before, after] = [new Date('2026-03-01T23:59:59.999Z'), new Date('2026-03-02T00:00:00.000Z')];
    let now = before;
    const tracker = new QuotaTracker({ redis, keys: new RedisKeys(namespace), timeZone: 'UTC', now: () => now });
    await tracker.check(who, chatLimits.free, before);
    await tracker.check(who, chatLimits.free, after);
    await tracker.refund(who, before);
    expect((await tracker.usage(who)).conversations).toBe(0);
    now = after;
    expect((await tracker.usage(who)).conversations).toBe(1);
  });

  test('takes the run that passes the limit, and none after it', async () => {
    const namespace = newNamespace();
    await using redis = testRedis(namespace);
    const tracker = new QuotaTracker({ redis, keys: new RedisKeys(namespace), timeZone: 'UTC' });
    await tracker.record(who, 49_999);
    expect(await tracker.check(who, chatLimits.free)).toBe('ok');
    await tracker.record(who, 1);
    expect(await tracker.check(who, chatLimits.free)).toBe('tokens');
    expect(await tracker.check(who, chatLimits.vip)).toBe('ok');
    await tracker.refund(who, new Date());
    expect((await tracker.usage(who)).conversations).toBe(1);
  });

  test('counts a guest by address, whatever session it comes with', async () => {
    const namespace = newNamespace();
    await using redis = testRedis(namespace);
    const tracker = new QuotaTracker({ redis, keys: new RedisKeys(namespace), timeZone: 'UTC' });
    const guest = (session: string) => ({ tenantId: 'guests', userId: `guest-${session}`, credentialId: 'guest:192.0.2.1' });
    expect(await tracker.check(guest('a'), chatLimits.free)).toBe('ok');
    await tracker.record(guest('a'), 50_000);
    expect(await tracker.check(guest('b'), chatLimits.free)).toBe('tokens');
    await tracker.refund(guest('c'), new Date());
    expect(await tracker.usage(guest('d'))).toMatchObject({ conversations: 0, tokens: 50_000 });
  });
});

test('days end when their zone says, also the short and the long ones', () => {
  expect(dayOf(new Date('2026-03-28T23:30:00Z'), 'Europe/Berlin')).toBe('2026-03-29');
  // The day on which clocks go forward has 23 hours, the other 25.
  expect(endOfDay(new Date('2026-03-29T00:30:00Z'), 'Europe/Berlin').toISOString()).toBe('2026-03-29T22:00:00.000Z');
  expect(endOfDay(new Date('2026-10-24T22:00:00Z'), 'Europe/Berlin').toISOString()).toBe('2026-10-25T23:00:00.000Z');
});
