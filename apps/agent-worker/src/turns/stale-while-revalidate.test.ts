import { describe, expect, test } from '@jest/globals';
import { StaleWhileRevalidate } from './stale-while-revalidate.js';

/** A cache whose clock the test moves, and a source that counts how often it was read. */
function cacheOf(limits: { readonly freshMs?: number; readonly staleMs?: number; readonly maxEntries?: number } = {}) {
  let now = 0;
  let loads = 0;
  const cache = new StaleWhileRevalidate<number>({ freshMs: 20, staleMs: 100, maxEntries: 2, ...limits }, () => now);
  return { cache, load: async () => ++loads, loads: () => loads, wait: (ms: number) => void (now += ms) };
}

/** Lets loads that need no I/O end. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a value', () => {
  test('is loaded once, however many ask at the same time', async () => {
    const { cache, load } = cacheOf();
    expect(await Promise.all([1, 2, 3].map(() => cache.get('a', load)))).toEqual([1, 1, 1]);
    expect(await cache.get('b', load)).toBe(2);
  });

  test.each([
    ['younger than fresh is given as it is', 19, 1, 1],
    ['just past fresh is given once more and loaded anew', 20, 1, 2],
    ['just below stale is given once more and loaded anew', 99, 1, 2],
    ['at the end of stale is waited for', 100, 2, 2],
  ])('%s', async (...row) => {
    const [, age, given, next] = row;
    const { cache, load, wait } = cacheOf();
    await cache.get('a', load);
    wait(age);
    expect(await cache.get('a', load)).toBe(given);
    await settled();
    expect(await cache.get('a', load)).toBe(next);
  });

  test('that is stale is given although its load fails, and is loaded again by the next who asks', async () => {
    const { cache, load, loads, wait } = cacheOf();
    await cache.get('a', load);
    wait(50);
    expect(await cache.get('a', () => Promise.reject(new Error('away')))).toBe(1);
    await settled();
    expect(await cache.get('a', load)).toBe(1);
    await settled();
    expect([await cache.get('a', load), loads()]).toEqual([2, 2]);
  });

  test('that could not be loaded is not cached', async () => {
    const { cache, load, loads } = cacheOf();
    expect(await cache.get('a', async () => null)).toBeNull();
    await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect([await cache.get('a', load), loads()]).toEqual([1, 1]);
  });

  test('makes room by the oldest', async () => {
    const { cache, load, loads } = cacheOf();
    for (const key of ['a', 'b', 'c', 'c', 'b']) await cache.get(key, load);
    expect(loads()).toBe(3);
    await cache.get('a', load);
    expect(loads()).toBe(4);
  });

  test('that is invalidated is loaded again, and a load that was under way is not cached', async () => {
    const { cache, load } = cacheOf();
    const early = cache.get('a', load);
    cache.invalidate('a');
    expect(await cache.get('a', load)).toBe(2);
    expect([await early, await cache.get('a', load)]).toEqual([1, 2]);
    cache.invalidate('a');
    expect(await cache.get('a', load)).toBe(3);
  });
});
