import { expect, test } from '@jest/globals';
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
