import { describe, expect, test } from '@jest/globals';
import { tools } from '../all-tools.js';
import type { ToolContract } from '../define-tool.js';
import { estimateTokens, promisedTokens, tokensOf } from './tokens.js';

test.each([
  ['a'.repeat(8), 'text', 2],
  ['a'.repeat(9), 'text', 3],
  ['a'.repeat(7), 'json', 2],
  ['a'.repeat(7), 'markdown', 2],
  ['a'.repeat(7), 'code', 4],
  ['𝒳'.repeat(4), 'text', 1],
  ['', 'text', 0],
] as const)('%j as %s costs %i', (text, kind, tokens) => {
  expect(estimateTokens(text, kind)).toBe(tokens);
});

test('a number is the typical size', () => {
  expect(promisedTokens({ estimatedTokens: 200 })).toEqual({ typical: 200, max: null });
});

describe.each(tools.map((contract): [string, ToolContract] => [`${contract.name} ${contract.version}`, contract]))(
  '%s',
  (_name, contract) => {
    test('promises no less than its own examples cost', () => {
      const { max } = promisedTokens(contract);
      for (const { output } of contract.examples) expect(tokensOf(output)).toBeLessThanOrEqual(max ?? Infinity);
    });
  },
);
