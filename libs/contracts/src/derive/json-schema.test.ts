import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { secret, sensitive } from '../marks.js';
import { toJsonSchema, toMarkedJsonSchema } from './json-schema.js';

describe('the JSON Schema of a field', () => {
  test.each<[string, z.ZodType, object]>([
    ['a text', z.string(), { type: 'string' }],
    ['a text with bounds', z.string().min(1).max(9), { type: 'string', minLength: 1, maxLength: 9 }],
    ['a pattern', z.string().regex(/^a+$/), { type: 'string', pattern: '^a+$' }],
    ['an integer, without the bounds of the number type', z.int(), { type: 'integer' }],
    ['an integer with one bound', z.int().min(1), { type: 'integer', minimum: 1 }],
    ['an integer with both bounds', z.int().min(-5).max(5), { type: 'integer', minimum: -5, maximum: 5 }],
    ['a number', z.number().min(0.5), { type: 'number', minimum: 0.5 }],
    ['open bounds', z.number().gt(0).lt(1), { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    ['a choice', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['one value', z.literal('x'), { type: 'string', const: 'x' }],
    ['a list', z.array(z.string()).max(3), { type: 'array', items: { type: 'string' }, maxItems: 3 }],
    ['a value or null', z.string().nullable(), { type: ['string', 'null'] }],
    ['a description', z.string().describe('What it is.'), { type: 'string', description: 'What it is.' }],
    ['anything', z.unknown(), {}],
  ])('of %s', (_what, schema, expected) => {
    expect(toJsonSchema(z.strictObject({ field: schema }), 'input').properties).toEqual({ field: expected });
  });

  test('has no address of the dialect, which would be paid for in every list of tools', () => {
    expect(toJsonSchema(z.strictObject({}), 'input')).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  });

  test('requires what has no default on the way in, and everything that is always there on the way out', () => {
    const schema = z.strictObject({ needed: z.string(), defaulted: z.string().default('x'), optional: z.string().optional() });
    expect(toJsonSchema(schema, 'input').required).toEqual(['needed']);
    expect(toJsonSchema(schema, 'output').required).toEqual(['needed', 'defaulted']);
    expect(toJsonSchema(schema, 'input').properties?.['defaulted']).toEqual({ type: 'string', default: 'x' });
  });

  test('says what comes in where a value is changed', () => {
    const schema = z.strictObject({ list: z.array(z.string()).transform((items) => items.length) });
    expect(toJsonSchema(schema, 'input').properties?.['list']).toEqual({ type: 'array', items: { type: 'string' } });
  });

  test('repeats a part that is used twice, since models and clients do not follow references', () => {
    const part = z.strictObject({ a: z.string() });
    const schema = toJsonSchema(z.strictObject({ one: part, two: part }), 'input');
    expect(JSON.stringify(schema)).not.toContain('$ref');
    expect(schema.properties?.['one']).toEqual(schema.properties?.['two']);
  });
});

test.each<[string, z.ZodType]>([
  ['a date', z.date()],
  ['a big integer', z.bigint()],
  ['a map', z.map(z.string(), z.string())],
  ['a set', z.set(z.string())],
  ['undefined', z.undefined()],
  ['a symbol', z.symbol()],
])('a contract cannot hold %s, which JSON cannot say', (_what, schema) => {
  expect(() => toJsonSchema(z.strictObject({ field: schema }), 'input')).toThrow();
});

describe('our marks', () => {
  const schema = z.strictObject({
    open: z.string(),
    health: sensitive(z.string()).describe('Described later.'),
    link: secret(z.string()).optional(),
    both: secret(sensitive(z.string())),
  });

  test('are on the schema for redaction and sealing, whatever wraps the field', () => {
    expect(toMarkedJsonSchema(schema, 'output').properties).toEqual({
      open: { type: 'string' },
      health: { type: 'string', sensitive: true, description: 'Described later.' },
      link: { type: 'string', secret: true },
      both: { type: 'string', sensitive: true, secret: true },
    });
  });

  test('are on no schema that others see', () => {
    expect(toJsonSchema(schema, 'output').properties).toEqual({
      open: { type: 'string' },
      health: { type: 'string', description: 'Described later.' },
      link: { type: 'string' },
      both: { type: 'string' },
    });
  });

  test('do not hide a property that has their name', () => {
    const named = z.strictObject({ secret: z.string(), sensitive: sensitive(z.boolean()) });
    expect(Object.keys(toJsonSchema(named, 'input').properties ?? {})).toEqual(['secret', 'sensitive']);
    expect(toJsonSchema(named, 'input').required).toEqual(['secret', 'sensitive']);
  });

  test('do not take a default away that happens to be true', () => {
    const named = z.strictObject({ flags: z.strictObject({ secret: z.boolean() }).default({ secret: true }) });
    expect(toJsonSchema(named, 'input').properties?.['flags']?.default).toEqual({ secret: true });
  });
});

test('a schema is made once, on each side', () => {
  const schema = z.strictObject({ a: z.string().default('x') });
  expect(toJsonSchema(schema, 'input')).toBe(toJsonSchema(schema, 'input'));
  expect(toJsonSchema(schema, 'input')).not.toBe(toJsonSchema(schema, 'output'));
});
