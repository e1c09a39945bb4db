import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoints, truncate } from './code-points.js';
import { highlight } from './highlight.js';
import { summarise } from './summarise.js';

const article =
  '钙是骨骼的主要成分。成年人每天需要约800毫克钙。牛奶和豆制品含钙丰富。今天天气很好。维生素D帮助身体吸收钙，晒太阳可以合成维生素D。Calcium needs vitamin D.';

describe('truncation', () => {
  test('counts code points and never cuts one', () => {
    expect(truncate('😀😀😀', 2)).toBe('😀😀');
    expect(truncate('abc', 5)).toBe('abc');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(60), (text, most) => {
        const cut = truncate(text, most);
        expect(text.startsWith(cut)).toBe(true);
        expect(codePoints(cut)).toBe(Math.min(most, codePoints(text)));
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('a highlight', () => {
  test('shows the sentence that matches and the words that do', () => {
    const { snippet, matches } = highlight(article, '维生素d 吸收');
    expect(snippet).toContain('维生素D帮助身体吸收钙');
    expect(matches).toEqual(expect.arrayContaining(['吸收']));
    expect(matches.some((match) => match.includes('维生素'))).toBe(true);
  });

  test('stays within its bound in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 20, max: 80 }), (text, most) => {
        const { snippet, matches } = highlight(text, text.slice(0, 10), most);
        expect(codePoints(snippet)).toBeLessThanOrEqual(Math.max(most, codePoints(text.trim())));
        for (const match of matches) expect(snippet).toContain(match);
      }),
    );
  });
});

describe('a summary', () => {
  test('is made of sentences of the text, in their order, within its bound', () => {
    const summary = summarise(article, 45);
    expect(codePoints(summary)).toBeLessThanOrEqual(45);
    expect(summary).toContain('钙');
    expect(summary).not.toContain('天气');
  });

  test('of anything with words is not empty', () => {
    expect(summarise('词'.repeat(5_000), 50)).not.toBe('');
    expect(summarise('')).toBe('');
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => expect(codePoints(summarise(text, 40))).toBeLessThanOrEqual(40)));
  });
});
