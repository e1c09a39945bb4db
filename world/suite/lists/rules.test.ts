import { expect, test } from '@jest/globals';
import { faultsOf, type ListedTool } from './rules.js';

const strict = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
const tool = (parameters: unknown, rest: Partial<ListedTool> = {}): ListedTool => ({
  name: 'one',
  description: 'One.',
  parameters,
  strict: true,
  ...rest,
});

test('a strict schema of both providers keeps all rules', () => {
  expect(faultsOf(tool(strict), 'openai')).toEqual([]);
  expect(faultsOf(tool(strict), 'anthropic')).toEqual([]);
});

test.each<[string, ListedTool, string]>([
  ['a long name', tool(strict, { name: 'x'.repeat(65) }), 'its name is not taken'],
  ['a long description', tool(strict, { description: 'x'.repeat(1_025) }), 'its description has more than 1024 characters'],
  ['a union at the top', tool({ ...strict, anyOf: [] }), 'anyOf at the top'],
  ['an optional field', tool({ ...strict, required: [] }), 'a is optional in strict mode'],
  ['an open object within', tool({ ...strict, properties: { a: { type: 'object', properties: {} } } }), 'an open object in strict mode'],
  ['a default', tool({ ...strict, properties: { a: { type: 'string', default: '' } } }), 'default in strict mode'],
  ['a list of anything', tool({ type: 'object', properties: { a: { type: 'array' } } }, { strict: false }), 'a list without items'],
  [
    'a reference into nothing',
    tool({ type: 'object', properties: { a: { $ref: '#/$defs/b' } } }, { strict: false }),
    '#/$defs/b leads nowhere',
  ],
])('%s breaks a rule of OpenAI', (...[, given, fault]) => {
  expect(faultsOf(given, 'openai')).toContain(fault);
});

test('a name of a parameter in another script breaks a rule of Anthropic', () => {
  expect(faultsOf(tool({ type: 'object', properties: { 名: {} } }, { strict: false }), 'anthropic')).toEqual(['a parameter 名']);
});
