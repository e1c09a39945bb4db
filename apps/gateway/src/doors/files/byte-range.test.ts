import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { byteRangeIn } from './byte-range.js';

test.each([
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-0', null],
  ['bytes=0-1,5-6', null],
  ['bytes=-', null],
  ['pages=1-2', null],
  [undefined, null],
])('%j of 100 bytes is %j', (header, range) => {
  expect(byteRangeIn(header, 100)).toEqual(range);
});

test('a range lies within the body', () => {
  const bound = fc.option(fc.nat(), { nil: '' });
  fc.assert(
    fc.property(bound, bound, fc.nat(10_000), (first, last, size) => {
      const range = byteRangeIn(`bytes=${first}-${last}`, size);
      return range === null || range === 'unsatisfiable' || (range.start >= 0 && range.start <= range.end && range.end < size);
    }),
  );
});
