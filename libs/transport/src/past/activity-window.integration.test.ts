import { afterAll, expect, test } from '@jest/globals';
import { newNamespace, testRedis } from '#lib/testing';
import { RedisKeys } from '../redis/redis-keys.js';
import { ActivityStore } from './activity-store.js';
import { ActivityWindow } from './activity-window.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const keys = new RedisKeys(namespace);
const [store, window] = [new ActivityStore(redis, keys), new ActivityWindow(redis, keys)];
afterAll(async () => redis[Symbol.asyncDispose]());

const minuteMs = 60_000;
const now = Math.floor(Date.now() / minuteMs) * minuteMs + 30_000;
const counted = (calls: number, latency: number): ReadonlyMap<string, number> =>
  new Map([
    ['quote n', calls],
    [`quote l${latency}`, calls],
  ]);

test('quantiles of a window are those of all its calls, and not of the last or the worst second', async () => {
  // 99 calls of 6.2 ms, and after them one of 40 s.
  await store.add(now - 200_000, counted(99, 10));
  await store.add(now - 1_000, new Map([...counted(1, 58), ['quote eTIMEOUT', 1]]));
  for (const span of ['second', 'minute'] as const) {
    const sum = await window.sum(span, now);
    expect(sum).toMatchObject({ calls: 100, errors: { TIMEOUT: 1 }, p50_ms: 6.2, p99_ms: 6.2 });
    expect(sum.by_tool['quote']).toMatchObject({ calls: 100, p50_ms: 6.2 });
  }
  expect((await window.sum('minute', now, 1)).calls).toBe(1);
});

test('what is written late counts, and what is older than the window does not', async () => {
  await store.add(now - 60_000, counted(5, 10));
  expect((await window.sum('second', now + 2_000)).calls).toBe(105);
  // The 99 are older than 5 minutes then, and younger than 3 hours.
  expect((await window.sum('second', now + 150_000)).calls).toBe(6);
  expect((await window.sum('minute', now + 150_000)).calls).toBe(105);
});
