import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { filterSql, type LabelFilter } from './filter.js';

describe('the condition of a filter', () => {
  test.each<[string, LabelFilter, string, readonly unknown[]]>([
    ['of nothing', {}, '', []],
    ['of empty lists', { all: [], anyOf: [], none: [] }, '', []],
    ['of labels that are all needed', { all: ['a', 'b'] }, '(unit.labels @> $4::text[])', [['a', 'b']]],
    ['of labels of which one is enough', { anyOf: [['a', 'b']] }, '(unit.labels && $4::text[])', [['a', 'b']]],
    ['of several groups', { anyOf: [['a'], ['b']] }, '(unit.labels && $4::text[]) AND (unit.labels && $5::text[])', [['a'], ['b']]],
    ['of labels that must not be there', { none: ['a'] }, 'NOT (unit.labels && $4::text[])', [['a']]],
    ['of names', { refs: ['r'] }, 'unit.ref = ANY($4::text[])', [['r']]],
    ['of no name at all: nothing passes', { refs: [] }, 'unit.ref = ANY($4::text[])', [[]]],
    [
      'of everything',
      { refs: ['r'], all: ['a'], anyOf: [['b']], none: ['c'] },
      'unit.ref = ANY($4::text[]) AND (unit.labels @> $5::text[]) AND (unit.labels && $6::text[]) AND NOT (unit.labels && $7::text[])',
      [['r'], ['a'], ['b'], ['c']],
    ],
  ])('%s', (...[, filter, text, values]) => {
    expect(filterSql(filter, 4)).toEqual({ text, values });
  });

  test('holds no label in its text, whatever the labels are: they are values of their own parameters', () => {
    const label = fc.string({ minLength: 3 }).map((text) => `§${text}`);
    const labels = fc.array(label, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.record({ refs: labels, all: labels, anyOf: fc.array(labels), none: labels }), fc.nat(20), (filter, next) => {
        const { text, values } = filterSql(filter, next);
        expect(text).not.toContain('§');
        const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
        expect(numbers).toEqual(values.map((_, index) => next + index));
      }),
    );
  });
});
