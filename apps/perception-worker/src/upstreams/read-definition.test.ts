import { expect, test } from '@jest/globals';
import { readDefinition, readDefinitions } from './read-definition.js';

const good = { name: 'good', description: 'Does good.', inputSchema: { type: 'object' } };

test.each<[string, object]>([
  ['a description that is null', { description: null }],
  ['a title that is null', { title: null }],
  ['a description that is a list', { description: ['a'] }],
  ['parameters without a type', { inputSchema: {} }],
  ['parameters that are branches', { inputSchema: { anyOf: [{ type: 'object' }] } }],
  ['an output without a type', { outputSchema: { properties: {} } }],
  ['an output that is null', { outputSchema: null }],
  ['hints that are null', { annotations: null }],
  ['a hint that is null', { annotations: { title: null, readOnlyHint: null } }],
  ['fields that nobody knows', { icons: 5, _meta: null, execution: 'x' }],
])('a tool with %s is one', (_what, more) => {
  expect(readDefinition({ ...good, ...more }, 1)).toMatchObject({ tool: { name: 'good' } });
});

test.each<[unknown, object]>([
  [
    { ...good, inputSchema: null },
    { tool: 'good', reason: 'its inputSchema must be an object, a JSON Schema' },
  ],
  [
    { ...good, inputSchema: 'text' },
    { tool: 'good', reason: expect.stringContaining('inputSchema') },
  ],
  [{ name: 'good' }, { tool: 'good', reason: expect.stringContaining('inputSchema') }],
  [
    { ...good, name: null },
    { tool: '#2', reason: expect.stringContaining('its name') },
  ],
  [
    { ...good, name: '' },
    { tool: '', reason: expect.stringContaining('its name') },
  ],
  [null, { tool: '#2', reason: expect.stringContaining('its name') }],
  ['words', { tool: '#2', reason: expect.stringContaining('its name') }],
  [{ ...good }, { tool: 'good', reason: 'another of its tools has this name' }],
])('%j costs itself alone, and is told by name', (bad, told) => {
  const { tools, malformed } = readDefinitions([good, bad, { ...good, name: 'last' }]);
  expect(tools.map(({ name }) => name)).toEqual(['good', 'last']);
  expect(malformed).toEqual([told]);
});

test('what was approved before stays the same: what is absent is not written', () => {
  expect(readDefinition({ ...good, title: null }, 1)).toEqual({ tool: good });
});
