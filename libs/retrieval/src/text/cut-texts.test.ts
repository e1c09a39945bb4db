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

/** All texts of a value, in the order in which they stand. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

describe('over any answer', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 400 }).filter((text) => !/^[a-z][a-z0-9+.-]*:\S+$/i.test(text));
  const answer = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      word,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'content', 'text'), tie('value')),
    ),
  })).value;
  const most = fc.integer({ min: 1, max: 500 });

  test('each text is the beginning of what it was, or a mark that there was one', () => {
    fc.assert(
      fc.property(answer, most, (value, max_length) => {
        const before = textsOf(value);
        const after = textsOf(cutTexts(value, limits(max_length)).value);
        expect(after.length).toBe(before.length);
        after.forEach((text, index) => expect(text === '…' || before[index]?.startsWith(text)).toBe(true));
      }),
    );
  });

  test('only the beginning is given: what comes after the text that was cut is cut whole', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 201, maxLength: 400 }), { maxLength: 4 }),
        most,
        (texts, max_length) => {
          const given = textsOf(cutTexts(texts, limits(max_length)).value).map((text) => (text === '…' ? '' : text));
          const all = Array.from(texts.join(''));
          // Texts follow each other, so what is given is the beginning of all of them together.
          expect(given.join('')).toBe(all.slice(0, Math.min(max_length, all.length)).join(''));
        },
      ),
    );
  });

  test('its shape stays: lists, names, numbers and nulls', () => {
    const shapeOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (_, item) => (typeof item === 'string' ? 's' : item)));
    fc.assert(
      fc.property(answer, most, (value, max_length) => {
        expect(shapeOf(cutTexts(value, limits(max_length)).value)).toEqual(shapeOf(value));
      }),
    );
  });

  test('a limit that nothing reaches changes nothing', () => {
    fc.assert(fc.property(answer, (value) => expect(cutTexts(value, limits(100_000))).toEqual({ value, truncation: null })));
  });

  test('the value that was given is not touched', () => {
    fc.assert(
      fc.property(answer, most, (value, max_length) => {
        const before = JSON.stringify(value);
        cutTexts(value, limits(max_length, true));
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });
});

test('one text is cut to exactly its limit, never through a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 1, max: 300 }), (text, most) => {
      const { text: cut, truncation } = cutText(text, limits(most));
      expect(codePoints(cut)).toBe(Math.min(most, codePoints(text)));
      expect(text.startsWith(cut)).toBe(true);
      expect(truncation === null).toBe(cut === text);
      if (truncation) expect(truncation).toEqual({ original_length: codePoints(text), returned_length: most });
    }),
  );
});

test('bytes stay whole beside their kind alone', () => {
  const long = 'A'.repeat(500);
  expect(cutTexts({ mimeType: 'image/png', blob: long, text: long }, limits(10)).value).toEqual({
    mimeType: 'image/png'.slice(0, 9),
    blob: long,
    text: 'A'.repeat(10),
  });
  expect(cutTexts({ data: long }, limits(10)).value).toEqual({ data: 'A'.repeat(10) });
});
