import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { withoutKeywords } from './without-keywords.js';

const isX = (keyword: string) => keyword === 'x';

test.each<[string, object, object]>([
  ['at the root', { x: 1, type: 'object' }, { type: 'object' }],
  ['in a property', { properties: { a: { x: 1, type: 'string' } } }, { properties: { a: { type: 'string' } } }],
  ['in items', { items: { x: 1 } }, { items: {} }],
  ['in alternatives', { anyOf: [{ x: 1 }, { type: 'null' }] }, { anyOf: [{}, { type: 'null' }] }],
  ['in definitions', { $defs: { D: { x: 1 } }, definitions: { E: { x: 1 } } }, { $defs: { D: {} }, definitions: { E: {} } }],
  ['in additional properties', { additionalProperties: { x: 1 } }, { additionalProperties: {} }],
])('a keyword goes %s', (_where, schema, expected) => {
  expect(withoutKeywords(schema, isX)).toEqual(expected);
});

test.each<[string, object]>([
  ['a property', { properties: { x: { type: 'string' } } }],
  ['a definition', { $defs: { x: { type: 'string' } } }],
  ['a key of a default', { default: { x: 1 } }],
  ['a key of a value', { enum: [{ x: 1 }], const: { x: 1 } }],
  ['a key of an example', { examples: [{ x: 1 }] }],
  ['a required name', { required: ['x'] }],
])('%s of the same name stays', (_what, schema) => {
  expect(withoutKeywords(schema, isX)).toEqual(schema);
});

test('nothing changes where nothing is dropped, and the given schema never does', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (schema) => {
      const before = JSON.stringify(schema);
      expect(withoutKeywords(schema, () => false)).toEqual(schema);
      withoutKeywords(schema, () => true);
      expect(JSON.stringify(schema)).toBe(before);
    }),
  );
});
