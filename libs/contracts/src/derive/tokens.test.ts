import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
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

describe('a budget of tokens (C-58)', () => {
  test.each([
    ['', 0],
    ['a'.repeat(35), 10],
    ['a'.repeat(36), 11],
    ['健康'.repeat(10), 20],
    ['カナ', 2],
    ['한글', 2],
    ['，。', 2],
    // Twelve wide characters and eight others: 12 + 8 ÷ 4, more than 20 ÷ 3.5.
    [`${'文'.repeat(12)}abcdefgh`, 14],
    // A character beyond 16 bits: one wide unit and one other.
    ['𠀀', 2],
  ])('%j costs %i', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  test('is never below the rule for text, JSON or Markdown, nor below one for each Han character', () => {
    const text = fc.string({
      unit: fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }), fc.constantFrom('八', '字', '命', '理')),
    });
    fc.assert(
      fc.property(text, (sample) => {
        const budget = estimateTokens(sample);
        for (const kind of ['text', 'json', 'markdown'] as const) expect(budget).toBeGreaterThanOrEqual(estimateTokens(sample, kind));
        expect(budget).toBeGreaterThanOrEqual(sample.match(/[八字命理]/g)?.length ?? 0);
      }),
    );
  });

  test('grows with what is added to the text', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a))));
  });
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
