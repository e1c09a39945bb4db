import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { toJsonSchema } from './derive/json-schema.js';
import { respelled } from './respell.js';

const schema = toJsonSchema(
  z.strictObject({
    nodeId: z.string(),
    author: z.strictObject({ displayName: z.string() }).nullish(),
    items: z.array(z.strictObject({ isNew: z.boolean() })),
  }),
  'input',
);

test('names are read in camelCase, PascalCase and snake_case, at every depth', () => {
  expect(respelled(schema, { NodeId: 'a', author: { display_name: 'x' }, Items: [{ IsNew: true }, { is_new: false }] })).toEqual({
    nodeId: 'a',
    author: { displayName: 'x' },
    items: [{ isNew: true }, { isNew: false }],
  });
});

test('two spellings of one name are not guessed between', () => {
  expect(respelled(schema, { nodeId: 'a', node_id: 'b' })).toEqual({ nodeId: 'a', node_id: 'b' });
  expect(respelled(schema, { node_id: 'b', NodeID: 'c' })).toEqual({ nodeId: 'b', NodeID: 'c' });
});

test('what is no object of the schema is left to be refused', () => {
  for (const value of [null, 7, 'x', [], { nodeid_: 1 }])
    expect(respelled(schema, value)).toEqual(value instanceof Object && 'nodeid_' in value ? { nodeId: 1 } : value);
});
