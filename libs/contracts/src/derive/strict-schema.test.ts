import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonSchema } from './json-schema.js';
import { takesNull, toStrictSchema, type StrictDialect } from './strict-schema.js';

const plain: StrictDialect = { keywords: new Set(['minimum']), formats: new Set(['date']), mayKeep: () => true, nullForAbsent: false };
const nulls: StrictDialect = { ...plain, nullForAbsent: true };
const object = (properties: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

describe('a property in the strict subset', () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    ['keeps its type and description', { type: 'string', description: 'D' }, { type: 'string', description: 'D' }],
    ['keeps its values', { type: 'string', enum: ['a'] }, { type: 'string', enum: ['a'] }],
    ['has its only value as a list of one', { const: 'x' }, { enum: ['x'] }],
    ['keeps a keyword that the provider knows', { type: 'integer', minimum: 1 }, { type: 'integer', minimum: 1 }],
    ['loses a keyword that the provider does not know', { type: 'string', minLength: 1, title: 'T' }, { type: 'string' }],
    ['keeps a format that the provider knows', { type: 'string', format: 'date' }, { type: 'string', format: 'date' }],
    ['loses a format that the provider does not know', { type: 'string', format: 'guid' }, { type: 'string' }],
    ['tells its default in its description', { type: 'integer', default: 5 }, { type: 'integer', description: 'Default 5.' }],
    [
      'tells its default behind its description',
      { type: 'string', default: 'a', description: 'Which.' },
      { type: 'string', description: 'Which. Default "a".' },
    ],
    ['is one of several', { oneOf: [{ type: 'string' }, { type: 'null' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['is a list', { type: 'array', items: { type: 'string', minLength: 1 } }, { type: 'array', items: { type: 'string' } }],
    ['is an object', object({ a: { type: 'string' } }, ['a']), object({ a: { type: 'string' } }, ['a'])],
    [
      'is an object that says nothing on other names: it is closed',
      { type: 'object', properties: { a: { type: 'string' } } },
      object({ a: { type: 'string' } }),
    ],
  ])('%s', (_what, schema, expected) => {
    expect(toStrictSchema(object({ p: schema }, ['p']), plain)).toEqual(object({ p: expected }, ['p']));
  });
});

test.each<[string, JsonSchema]>([
  ['a map with free keys', { type: 'object', additionalProperties: { type: 'string' } }],
  ['an object of anything', { type: 'object' }],
  ['an open object', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true }],
  ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'string' } }],
  ['a list of anything', { type: 'array' }],
  ['an intersection', { allOf: [{ type: 'string' }] }],
  ['a negation', { type: 'string', not: { enum: ['x'] } }],
  ['a value of any type', {}],
  ['a value of any type with a description', { description: 'Anything.' }],
])('%s cannot be said in strict mode, at any depth', (_what, schema) => {
  expect(toStrictSchema(object({ p: schema }), plain)).toBeNull();
  expect(toStrictSchema(object({ p: { type: 'array', items: schema } }), plain)).toBeNull();
  expect(toStrictSchema(object({ p: { anyOf: [{ type: 'string' }, schema] } }), plain)).toBeNull();
  expect(toStrictSchema({ ...object({ p: { $ref: '#/$defs/d' } }), $defs: { d: schema } }, plain)).toBeNull();
});

describe('where a provider has no absent parameters', () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    ['a text may be null', { type: 'string' }, { type: ['string', 'null'] }],
    ['a choice has null among its values', { type: 'string', enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
    ['one of several has null as another', { anyOf: [{ type: 'string' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['what may be null already stays', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    ['one of several with null stays', { anyOf: [{ type: 'null' }] }, { anyOf: [{ type: 'null' }] }],
    [
      'a reference is wrapped',
      { $ref: '#/$defs/d', description: 'D' },
      { description: 'D', anyOf: [{ $ref: '#/$defs/d' }, { type: 'null' }] },
    ],
    ['a constant is wrapped', { const: 1 }, { anyOf: [{ enum: [1] }, { type: 'null' }] }],
  ])('%s', (_what, schema, expected) => {
    const root = { ...object({ p: schema }), $defs: { d: { type: 'string' } } } as const;
    expect(toStrictSchema(root, nulls)).toMatchObject({ properties: { p: expected }, required: ['p'] });
  });

  test('a required parameter is left as it is', () => {
    expect(toStrictSchema(object({ p: { type: 'string' } }, ['p']), nulls)).toEqual(object({ p: { type: 'string' } }, ['p']));
  });
});

test.each<[JsonSchema, boolean]>([
  [{ type: 'null' }, true],
  [{ type: ['string', 'null'] }, true],
  [{ type: 'string' }, false],
  [{ enum: ['a', null] }, true],
  [{ type: ['string', 'null'], enum: ['a'] }, false],
  [{ const: null }, true],
  [{ const: 0 }, false],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, true],
  [{ oneOf: [{ type: 'string' }] }, false],
  [{}, true],
  [{ $ref: '#/$defs/d' }, false],
])('%j takes null: %s', (schema, takes) => {
  expect(takesNull(schema)).toBe(takes);
});

/** Schemas of any shape, those included that strict mode has no words for. */
const anySchema = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({
      type: fc.constantFrom('string', 'integer', 'number', 'boolean'),
      minimum: fc.nat(),
      minLength: fc.nat(),
      default: fc.nat(),
    }),
    fc.record({ enum: fc.array(fc.string(), { minLength: 1 }) }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), tie('schema'), { maxKeys: 3 }),
      additionalProperties: fc.constantFrom(false, true),
    }),
  ),
})).schema;

test('whatever the schema, each object of its strict form is closed and names all its properties', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), anySchema, { minKeys: 1, maxKeys: 4 }), (properties) => {
      const strict = toStrictSchema(object(properties), nulls);
      if (strict === null) return;
      const visit = (schema: JsonSchema): void => {
        expect(Object.keys(schema).filter((key) => ['default', 'const', 'oneOf', 'minLength'].includes(key))).toEqual([]);
        if (schema.properties) {
          expect(schema.additionalProperties).toBe(false);
          expect(schema.required).toEqual(Object.keys(schema.properties));
        }
        for (const part of [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])])
          visit(part);
      };
      visit(strict);
      for (const property of Object.values(strict.properties ?? {})) expect(takesNull(property)).toBe(true);
    }),
  );
});
