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

/** Reciprocal rank fusion as it is written in its paper, with weights and strengths (Cormack et al., 2009). */
function scores(legs: readonly RankedLeg[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const { hits, weight } of legs) {
    hits.forEach(({ id, strength }, index) => sums.set(id, (sums.get(id) ?? 0) + (weight * strength) / (10 + index + 1)));
  }
  return sums;
}

const anyLeg = fc
  .tuple(
    fc.uniqueArray(fc.nat(60), { maxLength: 30 }),
    fc.double({ min: 0, max: 2, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  .map(([ids, weight, strength]): RankedLeg => ({ weight, hits: ids.map((id) => ({ id, strength })) }));

test('the order is that of the summed reciprocal ranks, but for the best of a leg that is lifted', () => {
  fc.assert(
    fc.property(fc.array(anyLeg, { maxLength: 3 }), (legs) => {
      const sums = scores(legs);
      const best = new Set(legs.flatMap(({ hits }) => hits.slice(0, 1).map(({ id }) => id)));
      const others = fuse(legs).filter((id) => !best.has(id));
      others.forEach((id, index) => {
        const next = others[index + 1];
        if (next !== undefined) expect((sums.get(id) ?? 0) >= (sums.get(next) ?? 0)).toBe(true);
      });
    }),
  );
});

test('equal scores are in the order of their ids, so that the same question has the same answer', () => {
  expect(fuse([leg(1, 5, 9), leg(1, 9, 5)])).toEqual([5, 9]);
  expect(fuse([leg(0, 9, 5, 7)])).toEqual([5, 7, 9]);
});

test('nothing is made of nothing', () => {
  expect(fuse([])).toEqual([]);
  expect(fuse([leg(1), leg(1)])).toEqual([]);
});

test('the best hit of a light leg stands tenth where the heavy leg would bury it', () => {
  const heavy = leg(1, ...Array.from({ length: 30 }, (_, n) => n + 1));
  const order = fuse([heavy, leg(0.001, 99)]);
  expect(order.indexOf(99)).toBe(9);
  expect(order.filter((id) => id !== 99)).toEqual(heavy.hits.map(({ id }) => id));
});

test('a hit at place 11 of two legs comes before the first of one, at place 12 after it', () => {
  const legs = (place: number) =>
    [1, 2].map((first) => leg(1, first, ...Array.from({ length: place - 2 }, (_, n) => first * 100 + n), 999));
  expect(fuse(legs(11))[0]).toBe(999);
  expect(fuse(legs(12)).slice(0, 3)).toEqual([1, 2, 999]);
});
