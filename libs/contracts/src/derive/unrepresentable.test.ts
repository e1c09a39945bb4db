import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { unrepresentableIn } from './unrepresentable.js';

const fields = (schema: z.ZodType, io: 'input' | 'output' = 'input') =>
  unrepresentableIn(schema, io).map(({ path, message }) => `${path}: ${message.split(' ', 1)[0]}`);

test('every field is named, however deep it is, with what to write instead', () => {
  const schema = z.strictObject({
    on: z.date().optional(),
    rows: z.array(z.strictObject({ count: z.bigint(), properties: z.strictObject({ items: z.set(z.string()) }) })),
    byDay: z.record(z.string(), z.date()),
    either: z.union([z.map(z.string(), z.string()), z.string()]),
    fine: z.string(),
  });
  expect(fields(schema)).toEqual([
    'byDay.*: z.date()',
    'either: z.map()',
    'on: z.date()',
    'rows[].count: z.bigint()',
    'rows[].properties.items: z.set()',
  ]);
  expect(unrepresentableIn(z.strictObject({ on: z.date() }), 'input')[0]?.message).toContain('z.iso.datetime()');
});

test('a transform has a form where it is read, and none where it is given', () => {
  const schema = z.strictObject({ length: z.string().transform((text) => text.length) });
  expect([fields(schema, 'input'), fields(schema, 'output')]).toEqual([[], ['length: a']]);
});

test('a schema that is read again in itself ends', () => {
  const node: z.ZodType = z.strictObject({
    get next() {
      return node.optional();
    },
    at: z.date(),
  });
  expect(fields(node)).toEqual(['at: z.date()']);
});

test('what has a form is not named', () => {
  expect(fields(z.strictObject({ a: z.iso.datetime(), b: z.int(), c: z.null(), d: z.enum(['x']) }))).toEqual([]);
});
