import { expect, test } from '@jest/globals';
import { shapeOf } from './shapes.js';

test.each([
  [1, 'number'],
  ['x', 'string'],
  [null, 'null'],
  [true, 'boolean'],
  [[], []],
  [[1, 2], ['number']],
  [{ a: { b: [{ c: 'x' }] } }, { a: { b: [{ c: 'string' }] } }],
  [{ a: 1, '…': '…' }, { a: 'number' }],
])('the shape of %j is %j', (value, shape) => {
  expect(shapeOf(value)).toEqual(shape);
});

test('a field of another kind has another shape', () => {
  expect(shapeOf({ a: '1' })).not.toEqual(shapeOf({ a: 1 }));
});
