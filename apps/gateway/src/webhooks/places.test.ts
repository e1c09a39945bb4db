import { expect, test } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { Places } from './places.js';

test('So many of a name go on at once, and others wait for them and for nobody else', async () => {
  const places = new Places({ most: 3, yieldMs: 10_000 });
  const open = { a: 0, b: 0 };
  const most = { a: 0, b: 0 };
  const work = (name: 'a' | 'b') => async () => {
    most[name] = Math.max(most[name], ++open[name]);
    await setTimeout(2);
    open[name]--;
    return name;
  };
  const results = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const name = n % 2 ? 'a' : 'b';
      return places.within(name, 10_000, work(name));
    }),
  );
  expect(most).toEqual({ a: 3, b: 3 });
  expect(results.filter((name) => name === 'a')).toHaveLength(10);
});

test('Who waits too long does nothing, and leaves its place to the next', async () => {
  const places = new Places({ most: 1, yieldMs: 10_000 });
  const held = Promise.withResolvers<string>();
  const first = places.within('a', 0, () => held.promise);
  expect(await places.within('a', 5, async () => 'late')).toBeNull();
  const next = places.within('a', 10_000, async () => 'next');
  held.resolve('first');
  expect([await first, await next]).toEqual(['first', 'next']);
  await expect(places.within('a', 0, async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await places.within('a', 0, async () => 'after')).toBe('after');
});

test('What takes long gives its place to the next, once, and goes on', async () => {
  const places = new Places({ most: 1, yieldMs: 5 });
  const held = Promise.withResolvers<string>();
  const slow = places.within('a', 0, () => held.promise);
  expect(await places.within('a', 10_000, async () => 'next')).toBe('next');
  const second = places.within('a', 10_000, () => held.promise);
  held.resolve('slow');
  expect([await slow, await second]).toEqual(['slow', 'slow']);
  expect(await places.within('a', 0, async () => 'after')).toBe('after');
});
