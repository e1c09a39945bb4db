import { expect, test } from '@jest/globals';
import { objectFromJsonSchema } from './from-json-schema.js';

const withField = (a: object, more: object = {}) => ({ type: 'object', properties: { p: { $ref: '#/$defs/a' } }, $defs: { a, ...more } });

test.each<[string, object]>([
  ['to itself', withField({ $ref: '#/$defs/a' })],
  ['to one that refers back', withField({ $ref: '#/$defs/b~1c' }, { 'b/c': { $ref: '#/$defs/a' } })],
  ['to itself among alternatives', withField({ anyOf: [{ type: 'string' }, { oneOf: [{ $ref: '#/$defs/a' }] }] })],
  ['to itself in draft 7', { ...withField({}), definitions: { a: { allOf: [{ $ref: '#/definitions/a' }] } } }],
])('a schema that refers %s and nothing else is refused, since no check of a value would end', (_where, schema) => {
  expect(() => objectFromJsonSchema({ ...schema })).toThrow('leads back to itself');
});

test('a schema that refers to itself in its fields and items is served', () => {
  const tree = {
    type: 'object',
    properties: { below: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/a' } }, { $ref: '#/$defs/b' }] } },
  };
  const schema = objectFromJsonSchema(withField(tree, { b: { type: 'null' } }));
  expect(schema.safeParse({ p: { below: [{ below: null }] } }).success).toBe(true);
  expect(schema.safeParse({ p: { below: [{ below: 1 }] } }).success).toBe(false);
});

test('a title or description that is no text is left out', () => {
  const property = { type: 'string', title: ['x'], description: 5 };
  const schema = objectFromJsonSchema({ type: 'object', properties: { description: property } });
  expect(schema.shape['description']?.description).toBeUndefined();
  expect(schema.safeParse({ description: 'a' }).success).toBe(true);
});
