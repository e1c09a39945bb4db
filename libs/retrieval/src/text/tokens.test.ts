import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { queryTerms } from './query-terms.js';
import { tokens } from './tokens.js';

const terms = (text: string): readonly string[] => [...tokens(text)].map(({ term }) => term);

describe('terms', () => {
  test('of Chinese are its words and the pairs of its characters', () => {
    expect(terms('糖尿病饮食')).toEqual(expect.arrayContaining(['糖尿病', '糖尿', '尿病', '饮食']));
    expect(queryTerms('糖尿病饮食').find(({ term }) => term === '病饮')).toMatchObject({ kind: 'joint', weight: 0.3 });
  });

  test('of English are stems without stop words', () => {
    expect(terms('The sleeping patterns of runners')).toEqual(['sleep', 'pattern', 'runner']);
  });

  test('are the same for full width and half width, upper and lower case, with and without accents', () => {
    expect(terms('ＶＩＴＡＭＩＮ　Ｄ３')).toEqual(terms('vitamin d3'));
    expect(terms('Café')).toEqual(terms('CAFE'));
    expect(terms('ｶﾞ')).toEqual(terms('ガ'));
  });

  test('of a code are the code itself and its words', () => {
    expect(terms('payouts_enabled')).toEqual(['payouts_enabled', 'payout', 'enabl']);
    expect(terms('acct_1ABC')).toContain('acct_1abc');
  });

  test.each([
    ['資料庫連線', '资料库连线'],
    ['资 料 库', '资料库'],
    ['骨质疏\n松症', '骨质疏松症'],
    ['E-mail', 'email'],
    ['e\u2011mail', 'email'],
    ['Wi-Fi', 'wifi'],
    ['readFileSync', 'read file sync'],
    ['HTTPServer', 'http server'],
    ['read_file', 'read file'],
  ])('of %j are found by %j', (text, asked) => {
    const held = new Set(terms(text));
    const wanted = queryTerms(asked).filter(({ kind }) => kind !== 'long' && kind !== 'joint');
    expect(wanted.length).toBeGreaterThan(0);
    expect(wanted.filter(({ term }) => !held.has(term))).toEqual([]);
  });

  test('of dates and ranges are not joined', () => {
    expect(terms('2024-05-01 and 3-4 and a-1')).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(20240501|34|a1)$/)]));
  });

  test('of a mixed text are those of both', () => {
    expect(terms('维生素C和钙')).toEqual(expect.arrayContaining(['维生素', 'c', '钙']));
  });

  test('stand where they are said to stand, in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        for (const { term, start, end } of tokens(text)) {
          expect(term).not.toBe('');
          expect(0 <= start && start < end && end <= text.length).toBe(true);
        }
      }),
    );
  });

  test('of a long word beyond the basic plane end with a whole character', () => {
    const [term] = tokens(`a${'𐐨'.repeat(100)}`);
    expect(term?.term).toBe(`a${'𐐨'.repeat(31)}`);
  });

  test('of a question are at most 64', () => {
    expect(queryTerms('数据 word'.repeat(400) + Array.from({ length: 100 }, (_, n) => ` w${n}x`).join(''))).toHaveLength(64);
  });
});
