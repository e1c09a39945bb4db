import { describe, expect, test } from '@jest/globals';
import { fitLogistic, predict, type Example } from './fit.js';

const example = (features: readonly number[], isRelevant: boolean, weight = 1): Example => ({ features, isRelevant, weight });

describe('a logistic regression', () => {
  test('without features finds the share of relevant examples', () => {
    const examples = [...Array.from({ length: 30 }, () => example([], true)), ...Array.from({ length: 10 }, () => example([], false))];
    expect(predict(fitLogistic(examples), [])).toBeCloseTo(0.75, 3);
  });

  test('counts examples by their weights', () => {
    expect(predict(fitLogistic([example([], true, 3), example([], false, 1)]), [])).toBeCloseTo(0.75, 3);
  });

  test('gives a feature that decides the sign of its influence, and none to one that does not', () => {
    const examples = Array.from({ length: 400 }, (_, index) => example([index % 2, (index >> 1) % 2], index % 2 === 0));
    const [, deciding = 0, other = 0] = fitLogistic(examples);
    expect(deciding).toBeLessThan(-3);
    expect(Math.abs(other)).toBeLessThan(0.01);
    expect(predict(fitLogistic(examples), [0, 0])).toBeGreaterThan(0.9);
    expect(predict(fitLogistic(examples), [1, 1])).toBeLessThan(0.1);
  });

  test('stays finite for examples that a line separates, and for a feature that is there twice', () => {
    const separated = Array.from({ length: 40 }, (_, index) => example([index, index], index >= 20));
    const weights = fitLogistic(separated);
    expect(weights.every(Number.isFinite)).toBe(true);
    expect(weights[1]).toBeCloseTo(weights[2] ?? NaN, 6);
  });
});
