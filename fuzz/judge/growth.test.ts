import { expect, test } from '@jest/globals';
import { growthOf, isFlat } from './growth.js';

const mib = 2 ** 20;
/** A saw: garbage grows until it is collected. */
const saw = (floor: (second: number) => number) => Array.from({ length: 200 }, (_, second) => floor(second) + (second % 9) * 30 * mib);

test.each([
  ['flat', () => 100 * mib, true],
  ['higher after the warm-up', (second: number) => (second < 30 ? 50 : 200) * mib, true],
  ['a leak', (second: number) => (100 + second) * mib, false],
])('%s', (_name, floor, flat) => {
  const growth = growthOf(saw(floor));
  expect(growth && isFlat(growth)).toBe(flat);
});

test('few samples tell nothing', () => expect(growthOf([1, 2, 3])).toBeNull());
