import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { toJsonSchema } from './derive/json-schema.js';
import { normalizePropertyNames } from './property-names.js';

const schema = toJsonSchema(
  z.strictObject({
    nodeId: z.string(),
    author: z.strictObject({ displayName: z.string() }).nullish(),
    items: z.array(z.strictObject({ isNew: z.boolean() })),
  }),
  'input',
);

test('names are read in camelCase, PascalCase and snake_case, at every depth', () => {
  expect(
    normalizePropertyNames(schema, { NodeId: 'a', author: { display_name: 'x' }, Items: [{ IsNew: true }, { is_new: false }] }),
  ).toEqual({
    nodeId: 'a',
    author: { displayName: 'x' },
    items: [{ isNew: true }, { isNew: false }],
  });
});

test('two spellings of one name are not guessed between', () => {
  expect(normalizePropertyNames(schema, { nodeId: 'a', node_id: 'b' })).toEqual({ nodeId: 'a', node_id: 'b' });
  expect(normalizePropertyNames(schema, { node_id: 'b', NodeID: 'c' })).toEqual({ nodeId: 'b', NodeID: 'c' });
});

test('what is no object of the schema is left to be refused', () => {
  for (const value of [null, 7, 'x', [], { nodeid_: 1 }])
    expect(normalizePropertyNames(schema, value)).toEqual(value instanceof Object && 'nodeid_' in value ? { nodeId: 1 } : value);
});

test('names that are right stay, whatever the values are, and doing it twice is doing it once', () => {
  const names = fc.constantFrom('nodeId', 'NodeId', 'node_id', 'author', 'Author', 'items', 'ITEMS', 'other', 'no_de_id', '__proto__');
  fc.assert(
    fc.property(fc.dictionary(names, fc.jsonValue({ maxDepth: 2 })), (value) => {
      const once = normalizePropertyNames(schema, value);
      expect(normalizePropertyNames(schema, once)).toEqual(once);
      expect(Object.keys(once as object).length).toBe(Object.keys(value).length);
    }),
  );
});

test('no value is lost or changed by a new spelling', () => {
  const spelling = fc.constantFrom('nodeId', 'NodeId', 'node_id', 'NODEID', 'NODE_ID');
  fc.assert(
    fc.property(spelling, fc.jsonValue(), (name, value) => {
      expect(normalizePropertyNames(schema, { [name]: value })).toEqual({ nodeId: value });
    }),
  );
});
