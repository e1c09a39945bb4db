import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fuse, type RankedLeg } from './fuse.js';

const leg = (weight: number, ...ids: readonly number[]): RankedLeg => ({ weight, hits: ids.map((id) => ({ id, strength: 1 })) });

test('what both legs find comes before what one does', () => {
  expect(fuse([leg(1, 1, 2, 3), leg(1, 2, 4)])[0]).toBe(2);
});

test('a leg that is unsure of its hits moves little', () => {
  const unsure = { weight: 1, hits: [{ id: 3, strength: 0.05 }] };
  expect(fuse([leg(1, 1, 2, 3), unsure])).toEqual([1, 2, 3]);
});

test('every hit is there once, and the best of each leg among the first ten', () => {
  const ids = fc.uniqueArray(fc.nat(200), { maxLength: 60 });
  fc.assert(
    fc.property(ids, ids, fc.double({ min: 0.01, max: 2, noNaN: true }), (one, other, weight) => {
      const order = fuse([leg(1, ...one), leg(weight, ...other)]);
      expect(order.toSorted((a, b) => a - b)).toEqual([...new Set([...one, ...other])].toSorted((a, b) => a - b));
      for (const [best] of [one, other]) if (best !== undefined) expect(order.indexOf(best)).toBeLessThan(11);
    }),
  );
});
