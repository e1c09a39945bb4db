import { expect, test } from '@jest/globals';
import { contractDiff } from './contract-diff.js';

test('each field that is new, gone or different has a line, under its path', () => {
  const before = { version: '1.0.0', input: { properties: { a: { maximum: 9 }, b: {} } }, errors: { SOLD_OUT: 'CONFLICT' } };
  const after = { version: '1.1.0', input: { properties: { a: { maximum: 9 }, c: { type: 'string' } } }, errors: {} };
  expect(contractDiff(before, after)).toEqual([
    '+ errors: {}',
    '- errors.SOLD_OUT: "CONFLICT"',
    '- input.properties.b: {}',
    '+ input.properties.c.type: "string"',
    '~ version: "1.0.0" → "1.1.0"',
  ]);
  expect(contractDiff(after, after)).toEqual([]);
});

test('of a first version everything is new', () => {
  expect(contractDiff(null, { name: 't', examples: [{ input: {} }] })).toEqual(['+ examples.0.input: {}', '+ name: "t"']);
});
