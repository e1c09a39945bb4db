import { expect, test } from '@jest/globals';
import { ndcg, recall, reciprocalRank } from './metrics.js';

const judged = new Map([
  ['a', 3],
  ['b', 1],
]);

test('a perfect ranking is 1, in every measure', () => {
  expect([ndcg(['a', 'b'], judged, 10), reciprocalRank(['a'], judged), recall(['b', 'a'], judged, 5)]).toEqual([1, 1, 1]);
});

test('are those of a ranking worked out by hand', () => {
  // Gains 0, 1/log2(3), 3/log2(4) over 3 + 1/log2(3).
  expect(ndcg(['x', 'b', 'a'], judged, 10)).toBeCloseTo((1 / Math.log2(3) + 1.5) / (3 + 1 / Math.log2(3)), 10);
  expect(reciprocalRank(['x', 'y', 'b'], judged)).toBeCloseTo(1 / 3, 10);
  expect(recall(['x', 'b', 'y', 'z', 'w', 'a'], judged, 5)).toBe(0.5);
});

test('of nothing found are 0', () => {
  expect([ndcg([], judged, 10), reciprocalRank(['x'], judged), recall([], judged, 5)]).toEqual([0, 0, 0]);
});
