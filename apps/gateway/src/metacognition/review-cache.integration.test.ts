import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createLogger } from '#lib/platform';
import { newNamespace, testRedis } from '#lib/testing';
import { newJobId, recordLifeMs, RedisKeys, partitionOf } from '#lib/transport';
import type { Checker } from './metacognition.js';
import { ReviewCache } from './review-cache.js';

const namespace = newNamespace();
const keys = new RedisKeys(namespace);
const evaluated = { data: {}, query: '', personality: null, now: new Date() };
let redis: Redis & AsyncDisposable;

beforeAll(() => {
  redis = testRedis(namespace);
});
afterAll(async () => redis[Symbol.asyncDispose]());

function setUp(checker: Checker, store: Redis = redis) {
  const state = { asked: 0 };
  const counted: Checker = async (...given) => {
    state.asked += 1;
    return checker(...given);
  };
  return { state, cache: new ReviewCache(counted, { redis: store, keys, log: createLogger('test', 'silent') }) };
}

const run = () => ({ jobId: newJobId(partitionOf('profile')), asked: 'calm' });

describe('A review', () => {
  test.each([
    [null, { checked: true, needs_correction: false }],
    ['Say it again.', { checked: true, needs_correction: true, correction: 'Say it again.' }],
  ])('is made once for a call and kept as long as its record: %j', async (correction, expected) => {
    const { state, cache } = setUp(async () => correction);
    const one = run();
    expect(await cache.of(evaluated, one)).toEqual(expected);
    expect(await cache.of(evaluated, one)).toEqual(expected);
    expect(state.asked).toBe(1);
    const left = await redis.pttl(keys.secondLook(one.jobId, one.asked));
    expect(left).toBeGreaterThan(recordLifeMs - 10_000);
    expect(left).toBeLessThanOrEqual(recordLifeMs);
  });

  test('is made anew for another call and for other expectations', async () => {
    const { state, cache } = setUp(async () => null);
    const one = run();
    await cache.of(evaluated, one);
    await cache.of(evaluated, { ...one, asked: 'formal' });
    await cache.of(evaluated, run());
    expect(state.asked).toBe(3);
  });

  test('is made every time for an answer from the cache, which has no call', async () => {
    const { state, cache } = setUp(async () => null);
    await cache.of(evaluated, null);
    await cache.of(evaluated, null);
    expect(state.asked).toBe(2);
  });

  test('that fails is told as unchecked and tried again', async () => {
    let isAway = true;
    const { state, cache } = setUp(async () => {
      if (isAway) throw new Error('the model is away');
      return null;
    });
    const one = run();
    expect(await cache.of(evaluated, one)).toEqual({ checked: false });
    isAway = false;
    expect(await cache.of(evaluated, one)).toEqual({ checked: true, needs_correction: false });
    expect(state.asked).toBe(2);
  });

  test('is the same for two readers who come at once', async () => {
    let count = 0;
    const { cache } = setUp(async () => `Correction ${++count}.`);
    const one = run();
    const [a, b] = await Promise.all([cache.of(evaluated, one), cache.of(evaluated, one)]);
    expect(a).toEqual(b);
  });

  test('is made without Redis too', async () => {
    const broken = testRedis(newNamespace());
    broken.disconnect();
    const { cache } = setUp(async () => null, broken);
    expect(await cache.of(evaluated, run())).toEqual({ checked: true, needs_correction: false });
  });

  test('that was stored in another form is made again', async () => {
    const { state, cache } = setUp(async () => null);
    const one = run();
    await redis.set(keys.secondLook(one.jobId, one.asked), '{"checked":true}');
    expect(await cache.of(evaluated, one)).toEqual({ checked: true, needs_correction: false });
    expect(state.asked).toBe(1);
  });
});
