import { expect, test } from '@jest/globals';
import { once } from './once.js';

test('runs the loader once for all who ask, at the same time or later', async () => {
  let loads = 0;
  const load = once(async () => ++loads);
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

test('gives a failure to all who wait for it, and runs the loader again for the next', async () => {
  let loads = 0;
  const load = once(async () => {
    if (++loads === 1) throw new Error('away');
    return loads;
  });
  expect((await Promise.allSettled([load(), load()])).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(loads).toBe(1);
  expect([await load(), await load()]).toEqual([2, 2]);
});
