import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { idf, impactOf, impactUnit, k1, saturation } from './bm25.js';

const tf = fc.integer({ min: 1, max: 30_000 });
const length = fc.integer({ min: 1, max: 100_000 });

describe('the rarity of a term', () => {
  test('falls with each unit that holds it, and is never negative', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(1_000_000), (units, df) => {
        expect(idf(units, df)).toBeGreaterThanOrEqual(0);
        expect(idf(units, df + 1)).toBeLessThanOrEqual(idf(units, df));
      }),
    );
  });

  test.each([
    [0, 0, 0.693],
    [1, 1, 0.288],
    [10, 1, 1.992],
    [1_000, 1, 6.503],
    [1_000, 1_000, 0.0005],
    // The counts of several spaces may be read at different times.
    [5, 9, 0.0513],
  ])('is, in %i units of which %i hold it, about %d', (units, df, expected) => {
    expect(idf(units, df)).toBeCloseTo(expected, 3);
  });
});

describe('the worth of a frequency', () => {
  test('grows with the frequency, falls with the length, and never reaches k1 + 1', () => {
    fc.assert(
      fc.property(tf, length, (frequency, size) => {
        const worth = saturation(frequency, size);
        expect(worth).toBeGreaterThan(0);
        expect(worth).toBeLessThan(k1 + 1);
        expect(saturation(frequency + 1, size)).toBeGreaterThan(worth);
        expect(saturation(frequency, size + 1)).toBeLessThan(worth);
      }),
    );
  });

  test('is 1 for a word that stands once in a text of the reference length', () => {
    expect(saturation(1, 120)).toBeCloseTo(1, 10);
  });

  test('says less with each repetition', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), length, (frequency, size) => {
        const first = saturation(frequency + 1, size) - saturation(frequency, size);
        const second = saturation(frequency + 2, size) - saturation(frequency + 1, size);
        expect(second).toBeLessThan(first);
      }),
    );
  });
});

test('an impact is a whole number that a column of two bytes holds, and keeps the worth to a part in 30,000', () => {
  fc.assert(
    fc.property(tf, length, (frequency, size) => {
      const impact = impactOf(frequency, size);
      expect(Number.isInteger(impact) && impact >= 0 && impact <= 30_000).toBe(true);
      expect(Math.abs(impact * impactUnit - saturation(frequency, size))).toBeLessThanOrEqual(impactUnit / 2 + 1e-12);
    }),
  );
});
