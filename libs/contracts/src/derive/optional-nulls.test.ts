import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { toJsonSchema } from './json-schema.js';
import { withoutOptionalNulls } from './optional-nulls.js';

const schema = toJsonSchema(
  z.strictObject({
    needed: z.string(),
    optional: z.string().optional(),
    nullable: z.string().nullable().optional(),
    any: z.unknown().optional(),
    list: z.array(z.strictObject({ a: z.string().optional() })).optional(),
    nested: z.strictObject({ a: z.int().optional(), b: z.int() }).optional(),
  }),
  'input',
);

test.each<[string, unknown, unknown]>([
  ['an optional parameter that is null is absent', { needed: 'x', optional: null }, { needed: 'x' }],
  ['a required one stays null, for validation to refuse', { needed: null }, { needed: null }],
  ['one that may be null stays', { nullable: null }, { nullable: null }],
  ['one that may be anything stays', { any: null }, { any: null }],
  ['an unknown one stays, for validation to refuse', { stranger: null }, { stranger: null }],
  ['a property of every object has it, it is no parameter', { constructor: null, toString: null }, { constructor: null, toString: null }],
  ['inside a list', { list: [{ a: null }, { a: 'x' }] }, { list: [{}, { a: 'x' }] }],
  ['inside an object', { nested: { a: null, b: null } }, { nested: { b: null } }],
  ['a list itself', { list: null }, {}],
  ['an item that is null stays', { list: [null] }, { list: [null] }],
  ['what has another shape is left alone', { list: 'x', nested: [1] }, { list: 'x', nested: [1] }],
  ['no object', 'text', 'text'],
  ['null', null, null],
])('%s', (_what, given, expected) => {
  expect(withoutOptionalNulls(schema, given)).toEqual(expected);
});

test('without a null nothing changes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!JSON.stringify(value).includes('null'));
      expect(withoutOptionalNulls(schema, value)).toEqual(value);
    }),
  );
});

test('doing it twice is doing it once', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const once = withoutOptionalNulls(schema, { list: value, nested: value, optional: value });
      expect(withoutOptionalNulls(schema, once)).toEqual(once);
    }),
  );
});
