import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tokens } from '../text/tokens.js';
import { impactOf } from './bm25.js';
import { unitTerms, type UnitField } from './unit-terms.js';

const of = (fields: readonly UnitField[]) => new Map(unitTerms(fields).terms.map(({ term, ...rest }) => [term, rest]));

describe('the terms of a unit', () => {
  test('count over all fields, each by its weight', () => {
    const terms = of([{ text: 'salt', weight: 3 }, { text: 'salt and pepper' }]);
    expect(terms.get('salt')).toMatchObject({ tf: 4, isHead: false });
    expect(terms.get('pepper')).toMatchObject({ tf: 1 });
    expect(unitTerms([{ text: 'salt', weight: 3 }, { text: 'salt and pepper' }]).length).toBe(5);
  });

  test('are of the head when any field of it names them', () => {
    const terms = of([{ text: 'salt' }, { text: 'salt', isHead: true }, { text: 'pepper' }]);
    expect([terms.get('salt')?.isHead, terms.get('pepper')?.isHead]).toEqual([true, false]);
  });

  test('fit their columns, however often a word is repeated', () => {
    const { terms } = unitTerms([{ text: 'salt '.repeat(200), weight: 1_000 }]);
    expect(terms).toEqual([expect.objectContaining({ term: 'salt', tf: 30_000 })]);
  });

  test('of nothing are none', () => {
    expect(unitTerms([])).toEqual({ length: 0, terms: [] });
    expect(unitTerms([{ text: '' }, { text: ' …！ ' }])).toEqual({ length: 0, terms: [] });
  });

  test('are what the texts say, in any texts and weights', () => {
    const field = fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 40 }), weight: fc.integer({ min: 1, max: 10 }) });
    fc.assert(
      fc.property(fc.array(field, { maxLength: 4 }), (fields) => {
        const { length, terms } = unitTerms(fields);
        const counted = fields.flatMap(({ text, weight }) => [...tokens(text)].map(({ term }) => ({ term, weight })));
        expect(length).toBe(counted.reduce((sum, { weight }) => sum + weight, 0));
        expect(new Set(terms.map(({ term }) => term))).toEqual(new Set(counted.map(({ term }) => term)));
        for (const { term, tf, impact } of terms) {
          expect(tf).toBe(counted.filter((one) => one.term === term).reduce((sum, { weight }) => sum + weight, 0));
          expect(impact).toBe(impactOf(tf, length));
        }
      }),
    );
  });
});
