import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoints } from './code-points.js';
import { cutText, cutTexts } from './cut-texts.js';

const limits = (max_length: number, return_summary = false) => ({ max_length, return_summary });
const prose = 'Salt raises the blood pressure. Less salt lowers it again. ';

test('a text within its limit is as it was, and nothing is told', () => {
  expect(cutText('short', limits(5))).toEqual({ text: 'short', truncation: null });
});

test('a longer one is cut by code points, with a summary where it is wanted', () => {
  expect(cutText('😀'.repeat(30), limits(20))).toEqual({ text: '😀'.repeat(20), truncation: { original_length: 30, returned_length: 20 } });
  expect(cutText(prose.repeat(9), limits(20, true)).truncation).toEqual({
    original_length: prose.length * 9,
    returned_length: 20,
    summary: expect.stringMatching(/salt/i),
  });
});

describe('an answer', () => {
  test('has one limit for all its long texts, in their order', () => {
    const block = (text: string) => ({ type: 'text', text });
    const { value, truncation } = cutTexts(
      { content: [block('a'.repeat(300)), block('b'.repeat(300)), block('c'.repeat(300))] },
      limits(500),
    );
    expect(value).toEqual({ content: [block('a'.repeat(300)), block('b'.repeat(200)), block('…')] });
    expect(truncation).toEqual({ original_length: 900, returned_length: 500 });
  });

  test('keeps words, addresses and bytes whole', () => {
    const answer = {
      id: 'x'.repeat(200),
      state: 'open',
      link: `https://example.com/${'p'.repeat(400)}`,
      picture: { type: 'image', mimeType: 'image/png', data: 'A'.repeat(5_000) },
      count: 7,
      none: null,
    };
    expect(cutTexts(answer, limits(300))).toEqual({ value: answer, truncation: null });
  });

  test('cuts short texts too when less is wanted than they have', () => {
    expect(cutTexts({ content: 'abcdefghij' }, limits(4)).value).toEqual({ content: 'abcd' });
  });

  test('never has more long text than its limit, and never half a character', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 900 })), fc.integer({ min: 1, max: 700 }), (texts, most) => {
        const { value, truncation } = cutTexts(texts, limits(most));
        const cut = JSON.stringify(value);
        expect(cut.isWellFormed()).toBe(true);
        expect(truncation?.returned_length ?? 0).toBeLessThanOrEqual(most);
        if (texts.every((text) => codePoints(text) === text.length) && truncation === null) expect(value).toEqual(texts);
      }),
    );
  });
});
