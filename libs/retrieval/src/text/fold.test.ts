import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fold } from './fold.js';
import { sentences } from './sentences.js';

test.each([
  ['Calcium', 'calcium'],
  ['ＡＢＣ１２３', 'abc123'],
  ['Café', 'cafe'],
  ['CAFE\u0301', 'cafe'],
  ['naïve', 'naive'],
  ['Ångström', 'angstrom'],
  ['ﬁsh', 'fish'],
  ['don’t', "don't"],
  ['ｶﾞ', 'ガ'],
  ['が', 'が'],
  ['한국', '한국'],
  ['睡眠', '睡眠'],
  ['資料庫連線', '资料库连线'],
  ['頭髮與發展', '头发与发展'],
  ['Ⅳ', 'iv'],
  ['', ''],
])('%s is read as %s', (text, folded) => {
  expect(fold(text)).toBe(folded);
});

test('folding twice is folding once, and nothing of it is upper case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const once = fold(text);
      expect(fold(once)).toBe(once);
      expect(once).toBe(once.toLowerCase());
    }),
  );
});

test('sentences follow each other with nothing lost between them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const parts = sentences(text);
      expect(parts.map((part) => part.text).join('')).toBe(text);
      for (const { text: part, start } of parts) expect(text.slice(start, start + part.length)).toBe(part);
    }),
  );
});

test.each([
  ['钙很重要。每天要吃。', ['钙很重要。', '每天要吃。']],
  ['One. Two! Three?', ['One. ', 'Two! ', 'Three?']],
  ['a line\nanother', ['a line\n', 'another']],
])('%j has its sentences', (text, parts) => {
  expect(sentences(text).map((part) => part.text)).toEqual(parts);
});
