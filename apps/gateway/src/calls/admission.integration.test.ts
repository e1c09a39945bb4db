import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { newNamespace, testRedis } from '#lib/testing';
import { Metrics, RedisKeys, TakeUpRate, partitionOf } from '#lib/transport';
import { gatewaySettings } from '../config.js';
import { Admission } from './admission.js';
import { noFaults } from '../test-log.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const keys = new RedisKeys(namespace);
let now = 0;
const rate = new TakeUpRate(redis, keys, () => now);
const { MAX_OPEN, TENANT_SHARE } = gatewaySettings;
const settingsOf = (env: Record<string, string>) => z.object({ MAX_OPEN, TENANT_SHARE }).parse(env);
const log = noFaults;
const metrics = new Metrics();
const admission = new Admission({ settings: settingsOf({ MAX_OPEN: 'profile:1000' }), metrics, log }, rate);
const unmeasured = new Admission({ settings: settingsOf({}), metrics, log }, new TakeUpRate(redis, keys));

afterAll(async () => redis[Symbol.asyncDispose]());

describe('bounds', () => {
  test('are those of the domain unless they are set, and those of tenants are set together', () => {
    const set = new Admission({ settings: settingsOf({ MAX_OPEN: 'agent:7, own:9', TENANT_SHARE: 'own:0.25' }), metrics, log }, rate);
    expect(set.domain('profile')).toMatchObject({ maxOpen: 5_000, tenantShare: 0.8 });
    expect(set.domain('agent')).toMatchObject({ maxOpen: 7, tenantShare: 0.5 });
    expect(set.domain('own-0123456789abcdef-shop')).toMatchObject({ maxOpen: 9, tenantShare: 0.25 });
    expect(() => set.domain('shop')).toThrow(TypeError);
  });

  test.each([
    ['MAX_OPEN', 'profile'],
    ['MAX_OPEN', 'profile:'],
    ['MAX_OPEN', 'profile:0'],
    ['MAX_OPEN', 'profile:1.5'],
    ['MAX_OPEN', 'shop:5'],
    ['MAX_OPEN', 'toString:5'],
    ['TENANT_SHARE', 'profile:1.01'],
    ['TENANT_SHARE', 'profile:0'],
  ])('%s=%s is no setting', (name, value) => {
    expect(() => settingsOf({ [name]: value })).toThrow(/must be pairs such as profile/);
  });
});

describe('where 100 calls a second are taken up', () => {
  const profile = admission.domain('profile');
  const atRate = profile.concurrency + 536;

  const partition = partitionOf('profile');

  beforeAll(async () => {
    await redis.zadd(keys.queue(partition, 'prioritized'), 1, 'job');
    for (let second = 0; second < 7; second++, now += 1_000) {
      await redis.set(keys.queue(partition, 'pc'), Math.round((second * (atRate - profile.concurrency)) / 6));
      await rate.look(partition);
    }
  });

  test('so many may stand before a call as are taken up before its deadline', () => {
    expect(admission.maxAhead(partition, profile, 5_000)).toBe(500);
    expect(unmeasured.maxAhead(partition, profile, 5_000)).toBeUndefined();
    expect(admission.maxAhead(partitionOf('agent'), admission.domain('agent'), 5_000)).toBeUndefined();
  });

  test('a call that would wait past its deadline is told how long, and when to come back', () => {
    const { error } = admission.refusal({ kind: 'too-late', ahead: 4_000 }, profile, { partition, leftMs: 10_000 });
    expect(error.family).toBe('OVERLOADED');
    expect(error.message).toMatch(/^4000 calls .* about 40 s, longer than its deadline of 10 s/);
    // 3,000 too many, with jitter.
    expect(error.retry_after_ms).toBeGreaterThanOrEqual(30_000);
    expect(error.retry_after_ms).toBeLessThanOrEqual(60_000);
  });

  test.each([
    ['overloaded', 200_000, 60_000],
    ['overloaded', 50_000, 50_000],
    ['tenant-overloaded', 50_000, 40_000],
    ['tenant-overloaded', 10, 1_000],
  ] as const)('who is %s at a bound of %i comes back in %i ms, when a tenth of it is free', (kind, maxOpen, ms) => {
    const { error } = admission.refusal({ kind }, { ...profile, maxOpen }, { partition, leftMs: 10_000 });
    expect(error.retry_after_ms).toBeGreaterThanOrEqual(ms);
    expect(error.retry_after_ms).toBeLessThanOrEqual(2 * ms);
  });

  test('who is refused before anything was measured comes back soon', () => {
    const { error } = unmeasured.refusal({ kind: 'overloaded' }, profile, { partition, leftMs: 10_000 });
    expect(error.retry_after_ms).toBeGreaterThanOrEqual(1_000);
    expect(error.retry_after_ms).toBeLessThanOrEqual(2_000);
  });
});
