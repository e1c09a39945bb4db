import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { queryTerms } from './query-terms.js';

const weights = (query: string) =>
  Object.fromEntries(queryTerms(query).map(({ term, weight }) => [term, Math.round(weight * 1_000) / 1_000]));

describe('the terms of a question', () => {
  test.each<[string, string, Record<string, number>]>([
    ['a plain word counts 1', 'calcium', { calcium: 1 }],
    ['a word that is said twice counts twice', 'calcium calcium', { calcium: 2 }],
    ['a word that questions are made of counts little', 'how calcium', { how: 0.1, calcium: 1 }],
    ['a common word counts less than a rare one', 'suddenly calcium', { suddenli: 0.4, calcium: 1 }],
    ['a code counts more, and its words count too', 'payouts_enabled', { payouts_enabled: 1.5, payout: 1, enabl: 1 }],
    ['stop words are left out', 'the calcium of a', { calcium: 1 }],
    ['a single character counts less than a pair', '钙', { 钙: 0.6 }],
  ])('%s', (...[, query, expected]) => {
    expect(weights(query)).toEqual(expected);
  });

  test('of Chinese are words and pairs, and pairs over a border of words are mostly accidents', () => {
    const terms = weights('糖尿病饮食');
    expect(terms).toMatchObject({ 糖尿病: 0.7, 糖尿: 1, 尿病: 1, 病饮: 0.3, 饮食: 1 });
  });

  test('of nothing are none', () => {
    for (const query of ['', '   ', '！？…', 'the a of', '🙂']) expect(queryTerms(query).filter(({ kind }) => kind === 'word')).toEqual([]);
  });

  test('are at most 64, each once, each above 0', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2_000 }), (query) => {
        const terms = queryTerms(query);
        expect(terms.length).toBeLessThanOrEqual(64);
        expect(new Set(terms.map(({ term }) => term)).size).toBe(terms.length);
        for (const { weight } of terms) expect(weight).toBeGreaterThan(0);
      }),
    );
  });

  test('are the same whatever the width and the case of their letters', () => {
    expect(weights('ＣＡＬＣＩＵＭ 睡眠')).toEqual(weights('calcium 睡眠'));
  });
});
