import { expect, test } from '@jest/globals';
import { toDefinition, tools } from '#lib/contracts';
import { formOf, type FormField } from './form-of.js';

const fieldOf = (schema: Readonly<Record<string, unknown>>) => formOf({ type: 'object', properties: { x: schema } })[0];

test.each([
  ['a text', { type: 'string' }, { kind: 'text', isLong: false }],
  ['a long text', { type: 'string', maxLength: 5_000 }, { kind: 'text', isLong: true }],
  ['a number with its range', { type: 'integer', minimum: 1, maximum: 120 }, { kind: 'number', limits: '1–120' }],
  ['an integer without bounds of its own', { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }, { limits: '' }],
  ['a choice', { type: 'string', enum: ['a', 'b'] }, { kind: 'choice', choices: ['a', 'b'] }],
  ['what may be null', { anyOf: [{ type: 'number' }, { type: 'null' }] }, { kind: 'number' }],
  [
    'texts of two forms',
    {
      anyOf: [
        { type: 'string', format: 'email' },
        { type: 'string', const: '' },
      ],
    },
    { kind: 'text' },
  ],
  ['alternatives of several types', { anyOf: [{ type: 'string' }, { type: 'number' }] }, { kind: 'json', reason: 'anyOf' }],
  ['a keyword that the form does not know', { type: 'string', contentEncoding: 'base64' }, { kind: 'json', reason: 'contentEncoding' }],
  ['an object without known fields', { type: 'object', additionalProperties: {} }, { kind: 'json', reason: 'additionalProperties' }],
])('%s', (_name, schema, field) => expect(fieldOf(schema)).toMatchObject(field));

test('required fields come first', () => {
  const fields = formOf({ type: 'object', required: ['b'], properties: { a: { type: 'string' }, b: { type: 'string' } } });
  expect(fields.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['b', true],
    ['a', false],
  ]);
});

test('the parameters of our own tools need the JSON editor in few places', () => {
  const strange = (field: FormField): readonly string[] => {
    if (field.kind === 'json') return [field.path];
    if (field.kind === 'object') return field.fields.flatMap(strange);
    return field.kind === 'list' ? strange(field.item) : [];
  };
  const found = tools.filter(({ internal }) => internal !== true).flatMap((tool) => formOf(toDefinition(tool).parameters).flatMap(strange));
  expect(found).toEqual([]);
});
