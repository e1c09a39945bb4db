import { afterAll, describe, expect, test } from '@jest/globals';
import { newNamespace, testRedis } from '../redis.js';
import { hourMs, minuteMs } from './clock.js';
import { expireSooner } from './expire-sooner.js';

describe('letting time pass for the keys of a namespace', () => {
  const namespace = newNamespace();
  const redis = testRedis(namespace);
  afterAll(async () => redis[Symbol.asyncDispose]());
  const key = (name: string, of = namespace) => `{${of}}:${name}`;

  test('deletes keys whose time is over, shortens the others and leaves those without one', async () => {
    await redis.set(key('over'), 'x', 'PX', hourMs - minuteMs);
    await redis.set(key('left'), 'x', 'PX', hourMs + minuteMs);
    await redis.hset(key('kept'), { field: 'x' });
    await expireSooner(redis, namespace, hourMs);
    expect([await redis.exists(key('over')), await redis.pttl(key('kept'))]).toEqual([0, -1]);
    const leftMs = await redis.pttl(key('left'));
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(minuteMs);
  });

  test('reaches every key of the namespace and none of another', async () => {
    const other = newNamespace();
    await using others = testRedis(other);
    await others.set(key('same', other), 'x', 'PX', minuteMs);
    const many = Array.from({ length: 2_500 }, (_, index) => key(`many-${index}`));
    const pipeline = redis.pipeline();
    for (const one of many) pipeline.set(one, 'x', 'PX', minuteMs);
    await pipeline.exec();
    await expireSooner(redis, namespace, hourMs);
    expect(await redis.exists(...many)).toBe(0);
    expect(await others.exists(key('same', other))).toBe(1);
  });

  test.each([-1, 0.5, NaN])('refuses %d ms', async (ms) => {
    await expect(expireSooner(redis, namespace, ms)).rejects.toThrow('time passes in whole milliseconds');
  });
});
