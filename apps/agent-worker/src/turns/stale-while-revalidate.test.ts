import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Remembered } from './stale-while-revalidate.js';

const limits = { freshMs: 20, keptMs: 10_000, size: 2 };

/** A source that counts how often it was read. */
function source() {
  let reads = 0;
  return { read: async () => (await sleep(1), ++reads), reads: () => reads };
}

test('is read once, however many ask at the same time', async () => {
  const remembered = new Remembered<number>(limits);
  const { read } = source();
  expect(await Promise.all([1, 2, 3].map(() => remembered.get('a', read)))).toEqual([1, 1, 1]);
  expect(await remembered.get('b', read)).toBe(2);
});

test('gives an old value at once and reads the new one behind it', async () => {
  const remembered = new Remembered<number>(limits);
  const { read, reads } = source();
  await remembered.get('a', read);
  await sleep(30);
  expect(await remembered.get('a', read)).toBe(1);
  await sleep(10);
  expect([await remembered.get('a', read), reads()]).toEqual([2, 2]);
});

test('waits for a new value when the old one is too old to be given', async () => {
  const remembered = new Remembered<number>({ ...limits, keptMs: 20 });
  const { read } = source();
  await remembered.get('a', read);
  await sleep(30);
  expect(await remembered.get('a', read)).toBe(2);
});

test('keeps nothing of what could not be read, and of the rest the newest', async () => {
  const remembered = new Remembered<number>(limits);
  const { read, reads } = source();
  expect(await remembered.get('a', async () => null)).toBeNull();
  await expect(remembered.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  for (const key of ['a', 'b', 'c', 'c']) await remembered.get(key, read);
  expect(reads()).toBe(3);
  await remembered.get('a', read);
  expect(reads()).toBe(4);
});

test('does not keep what was read before it was forgotten', async () => {
  const remembered = new Remembered<number>(limits);
  const { read } = source();
  const early = remembered.get('a', read);
  remembered.forget('a');
  expect(await remembered.get('a', read)).toBe(2);
  expect([await early, await remembered.get('a', read)]).toEqual([1, 2]);
});
