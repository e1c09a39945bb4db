import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { logOdds, probability } from './confidence.js';
import type { Features } from './features.js';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const features = fc.record(
  { coverage: share, head_coverage: share, unknown: share, gap: share, keyword: share, lead: share, similarity: share },
  { requiredKeys: ['coverage', 'head_coverage', 'unknown', 'gap', 'keyword', 'lead'] },
) as fc.Arbitrary<Features>;
const none: Features = { coverage: 0, head_coverage: 0, unknown: 0, gap: 0, keyword: 0, lead: 0 };
const all: Features = { ...none, coverage: 1, head_coverage: 1, keyword: 1, lead: 1 };

describe('a confidence', () => {
  test('is a probability, for any features', () => {
    fc.assert(
      fc.property(features, fc.constantFrom('spelling', 'meaning', undefined), (any, knows) => {
        const confidence = probability(logOdds(any, knows));
        expect(confidence > 0 && confidence < 1).toBe(true);
      }),
    );
  });

  test('rises with what speaks for a hit and falls with what speaks against it', () => {
    fc.assert(
      fc.property(features, fc.constantFrom('coverage', 'head_coverage', 'keyword', 'lead'), (any, name) => {
        expect(logOdds({ ...any, [name]: 1 })).toBeGreaterThanOrEqual(logOdds(any));
      }),
    );
    fc.assert(
      fc.property(features, fc.constantFrom('unknown', 'gap'), (any, name) => {
        expect(logOdds({ ...any, [name]: 1 })).toBeLessThanOrEqual(logOdds(any));
      }),
    );
  });

  test('is high where all words are found and low where none is', () => {
    expect(probability(logOdds(all))).toBeGreaterThan(0.9);
    expect(probability(logOdds(none))).toBeLessThan(0.05);
  });

  test('of a unit without a vector is not that of a unit unlike the question', () => {
    expect(logOdds(all, 'meaning')).toBeGreaterThan(logOdds({ ...all, similarity: 0 }, 'meaning'));
    expect(logOdds(all, 'meaning')).toBe(logOdds(all, 'spelling'));
  });

  test('by meaning alone may be high without a word in common, by spelling alone not', () => {
    const alike = { ...none, similarity: 1 };
    expect(probability(logOdds(alike, 'meaning'))).toBeGreaterThan(0.5);
    expect(probability(logOdds(alike, 'spelling'))).toBeLessThan(0.1);
  });
});

describe('odds as a probability', () => {
  test.each([
    [0, 0.5],
    [Math.log(3), 0.75],
    [-Math.log(3), 0.25],
    [1_000, 1],
    [-1_000, 0],
  ])('%d is %d', (odds, expected) => {
    expect(probability(odds)).toBeCloseTo(expected, 10);
  });

  test('keep their order and mirror each other', () => {
    const odds = fc.double({ min: -30, max: 30, noNaN: true });
    fc.assert(
      fc.property(odds, odds, (a, b) => {
        if (a < b) expect(probability(a)).toBeLessThanOrEqual(probability(b));
        expect(probability(a) + probability(-a)).toBeCloseTo(1, 10);
      }),
    );
  });
});
