import { expect, test } from '@jest/globals';
import { Random } from './random.js';

const draw = (random: Random) => Array.from({ length: 20 }, () => random.integer(1, 1_000));

test('the same seed and path give the same numbers, other ones others', () => {
  expect(draw(new Random(7).fork('load'))).toEqual(draw(new Random(7).fork('load')));
  expect(draw(new Random(7).fork('load'))).not.toEqual(draw(new Random(8).fork('load')));
  expect(draw(new Random(7).fork('load'))).not.toEqual(draw(new Random(7).fork('faults')));
});

test('numbers fill their range and stay in it', () => {
  const random = new Random(1);
  const drawn = new Set(Array.from({ length: 500 }, () => random.integer(3, 6)));
  expect(drawn).toEqual(new Set([3, 4, 5, 6]));
});

test('a shuffle keeps every item', () => {
  expect(new Set(new Random(3).shuffled([1, 2, 3, 4, 5]))).toEqual(new Set([1, 2, 3, 4, 5]));
});
