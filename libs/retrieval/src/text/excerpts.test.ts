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
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.nat(60), (text, most) => {
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

  test('of a text that is read to its middle ends with a whole character', () => {
    expect(summarise(`${' '.repeat(29_994)}bread😀 and salt`)).toBe('bread\ufffd');
  });

  test('of anything with words is not empty', () => {
    expect(summarise('词'.repeat(5_000), 50)).not.toBe('');
    expect(summarise('')).toBe('');
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => expect(codePoints(summarise(text, 40))).toBeLessThanOrEqual(40)));
  });
});

describe('a highlight of a question', () => {
  test.each<[string, string, string, readonly string[]]>([
    ['nothing matches', '钙是骨骼的主要成分。', 'protein', []],
    ['the question is empty', '钙是骨骼的主要成分。', '', []],
    ['a word in another form', 'Runners sleep well.', 'sleeping', ['sleep']],
    ['a word in full width', 'Ｃａｌｃｉｕｍ helps.', 'calcium', ['Ｃａｌｃｉｕｍ']],
    ['overlapping pairs are one match', '碳水化合物很多。', '碳水化合物', ['碳水化合物']],
    ['a word that is there twice is named once', 'Salt, salt.', 'salt', ['Salt', 'salt']],
  ])('%s', (...[, text, query, matches]) => {
    expect(highlight(text, query).matches).toEqual(matches);
  });

  test('of a text without a match begins where the text begins', () => {
    expect(highlight('First. Second. Third.', 'nothing').snippet).toBe('First. Second. Third.');
    expect(highlight('', 'calcium')).toEqual({ snippet: '', matches: [] });
  });

  test('shows what is around the match in a sentence that is too long', () => {
    const long = `${'前'.repeat(300)}钙质${'后'.repeat(300)}`;
    const { snippet, matches } = highlight(long, '钙质', 40);
    expect(codePoints(snippet)).toBeLessThanOrEqual(40);
    expect(snippet).toContain('钙质');
    expect(matches).toEqual(['钙质']);
  });

  test('is always a part of the text, at any place of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(300), (text, at) => {
        const { snippet } = highlight(text, text.slice(at, at + 8), 50);
        expect(text).toContain(snippet);
        expect(codePoints(snippet)).toBeLessThanOrEqual(Math.max(50, 0));
      }),
    );
  });
});

describe('a summary of any text', () => {
  test('is made of its sentences, in their order', () => {
    const parts = Array.from({ length: 12 }, (_, n) => `Salt and pepper number ${n} are here.`);
    const summary = summarise(parts.join(' '), 150);
    const places = parts.map((part) => summary.indexOf(part)).filter((place) => place >= 0);
    expect(places.length).toBeGreaterThan(1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('is the same each time, and never longer than it may be', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 120 }),
        (parts, most) => {
          const text = parts.join('。');
          expect(summarise(text, most)).toBe(summarise(text, most));
          expect(codePoints(summarise(text, most))).toBeLessThanOrEqual(most);
        },
      ),
    );
  });

  test('leaves out the marks of Markdown before a sentence', () => {
    expect(summarise('# Salt raises blood pressure.\n- Salt is in bread.')).not.toMatch(/^[#-]/);
  });
});
