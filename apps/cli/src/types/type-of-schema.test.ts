import { expect, test } from '@jest/globals';
import ts from 'typescript';
import type { JsonSchema } from '#lib/contracts';
import { commentOf, typeOfSchema } from './type-of-schema.js';

const oneLine = (schema: JsonSchema) => typeOfSchema(schema).replaceAll(/\s+/g, ' ');

test.each<[string, JsonSchema, string]>([
  ['types', { type: 'integer' }, 'number'],
  ['several types', { type: ['string', 'null'] }, 'string | null'],
  ['a constant', { type: 'string', const: 'kg' }, '"kg"'],
  ['listed values', { type: 'string', enum: ['a', 'b', 1, null] }, '"a" | "b" | 1 | null'],
  ['listed values that no type can say', { enum: ['a', { b: 1 }] }, 'unknown'],
  ['choices', { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, 'string | (readonly string[])'],
  ['a choice of anything', { oneOf: [{ type: 'string' }, {}] }, 'unknown'],
  [
    'all of several',
    {
      allOf: [
        { type: 'object', properties: { a: {} } },
        { type: 'object', properties: { b: {} } },
      ],
    },
    '{ a?: unknown; } & { b?: unknown; }',
  ],
  ['a list of choices', { type: 'array', items: { enum: ['x', 'y'] } }, 'readonly ("x" | "y")[]'],
  ['a pair and more', { type: 'array', prefixItems: [{ type: 'string' }] }, 'readonly [string, ...unknown[]]'],
  [
    'needed and optional fields',
    { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] },
    '{ a: string; b?: string | undefined; }',
  ],
  ['fields without a type beside them', { properties: { a: { type: 'string' } } }, '{ a?: string | undefined; }'],
  ['any object', { type: 'object' }, 'Record<string, unknown>'],
  ['no field at all', { type: 'object', properties: {}, additionalProperties: false }, 'Record<string, never>'],
  ['a map', { type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
  [
    'more than the named fields',
    { type: 'object', properties: { a: {} }, additionalProperties: { type: 'number' } },
    '{ a?: unknown; [name: string]: unknown; }',
  ],
  ['a reference', { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } }, 'string'],
  ['a reference of older drafts', { $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }, 'string'],
  ['a reference to nothing', { type: 'array', items: { $ref: 'https://example.com/x' } }, 'readonly unknown[]'],
  ['a schema within itself', { type: 'object', properties: { next: { $ref: '#' } } }, '{ next?: { next?: unknown; } | undefined; }'],
])('%s', (_, schema, type) => {
  expect(oneLine(schema)).toBe(type);
});

test('texts of strangers stay texts', () => {
  const evil = '*/ } declare const stolen: 1; /* ` ${x} " \' \\ \u2028 \n // ';
  const schema: JsonSchema = {
    type: 'object',
    properties: { [evil]: { description: evil, enum: [evil] }, ['__proto__']: { type: 'string' }, class: { type: evil } },
    required: [evil],
  };
  const text = `${commentOf(evil)}export type Evil = ${typeOfSchema(schema)};`;
  const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true });
  expect(diagnostics).toEqual([]);
  const { statements } = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest);
  expect(statements.map(({ kind }) => ts.SyntaxKind[kind])).toEqual(['TypeAliasDeclaration']);
});

test('a small schema that means a huge one, or a deep one, stays small', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [
      `d${n}`,
      { type: 'object', properties: { a: { $ref: `#/$defs/d${n + 1}` }, b: { $ref: `#/$defs/d${n + 1}` } } },
    ]),
  );
  expect(typeOfSchema({ $ref: '#/$defs/d0', $defs: doubling }).length).toBeLessThan(2_000_000);
  const deep = Array.from({ length: 3_000 }).reduce<JsonSchema>((items) => ({ type: 'array', items }), { type: 'string' });
  expect(typeOfSchema(deep)).toMatch(/^readonly .*unknown/);
});
