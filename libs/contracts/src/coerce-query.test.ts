import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { coerceQuery } from './coerce-query.js';
import { defineTool } from './define-tool.js';
import { validateInput } from './validate.js';

const sample = defineTool({
  name: 'sample',
  version: '1.0.0',
  title: 'Sample',
  description: 'A tool with a parameter of every kind.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({
    text: z.string().optional(),
    count: z.int().optional(),
    ratio: z.number().optional(),
    flag: z.boolean().optional(),
    list: z.array(z.int()).optional(),
    words: z.array(z.string()).optional(),
    nested: z.strictObject({ inner: z.string() }).optional(),
    level: z.enum(['1', '2']).optional(),
  }),
  output: z.strictObject({}),
  errors: {},
  timeoutMs: 1_000,
  estimatedTokens: 10,
  examples: [{ input: {}, output: {} }],
});

describe('a query string is read as the schema asks', () => {
  test.each<[string, string | readonly string[], unknown]>([
    ['count', '5', 5],
    ['count', '-5', -5],
    ['count', '0', 0],
    ['ratio', '-1.5e2', -150],
    ['ratio', '0.25', 0.25],
    ['flag', 'true', true],
    ['flag', 'false', false],
    ['text', '12', '12'],
    ['text', 'true', 'true'],
    ['level', '1', '1'],
    ['list', ['1', '2'], [1, 2]],
    ['list', '1,2,3', [1, 2, 3]],
    ['list', '1', [1]],
    ['words', 'a,b', ['a', 'b']],
    ['words', ['a,b', 'c'], ['a,b', 'c']],
    ['nested', '{"inner":"a"}', { inner: 'a' }],
  ])('%s=%j', (name, value, expected) => {
    expect(coerceQuery(sample, { [name]: value })).toEqual({ [name]: expected });
    expect(() => validateInput(sample, coerceQuery(sample, { [name]: value }))).not.toThrow();
  });
});

describe('what does not fit is left for validation, which names it', () => {
  test.each<[string, string | readonly string[], string]>([
    ['count', 'five', "Parameter 'count' must be integer, not string"],
    ['count', '', "Parameter 'count' must be integer, not string"],
    ['count', '0x10', "Parameter 'count' must be integer, not string"],
    ['count', '1_000', "Parameter 'count' must be integer, not string"],
    ['count', ' 1', "Parameter 'count' must be integer, not string"],
    ['count', ['1', '2'], "Parameter 'count' must be integer, not array"],
    ['ratio', 'NaN', "Parameter 'ratio' must be number, not string"],
    ['ratio', 'Infinity', "Parameter 'ratio' must be number, not string"],
    ['ratio', '1e999', "Parameter 'ratio' must be number, not string"],
    ['ratio', '.5', "Parameter 'ratio' must be number, not string"],
    ['flag', 'yes', "Parameter 'flag' must be boolean, not string"],
    ['flag', '1', "Parameter 'flag' must be boolean, not string"],
    ['list', '1,x', "Parameter 'list.1' must be number, not string"],
    ['nested', '{', "Parameter 'nested' must be object, not string"],
    ['nested', '[]', "Parameter 'nested' must be object, not array"],
    ['stranger', '1', 'Unexpected parameter: stranger'],
    ['constructor', '1', 'Unexpected parameter: constructor'],
    ['text', ['a', 'b'], "Parameter 'text' must be string, not array"],
  ])('%s=%j', (name, value, message) => {
    expect(() => validateInput(sample, coerceQuery(sample, { [name]: value }))).toThrow(message);
  });
});

test('any number comes back as that number', () => {
  // Text has no negative zero.
  const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number || 0);
  fc.assert(fc.property(numbers, (ratio) => expect(coerceQuery(sample, { ratio: String(ratio) })).toEqual({ ratio })));
});

test('a text parameter is never changed', () => {
  fc.assert(fc.property(fc.string(), (text) => expect(coerceQuery(sample, { text })).toEqual({ text })));
});

test('no query makes anything but the names that it has', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string()))), (query) => {
      expect(Object.keys(coerceQuery(sample, query))).toEqual(Object.keys(query));
    }),
  );
});
