import { expect, jest, test } from '@jest/globals';
import { toWoff2 } from './font-files.js';
import { glyphsOf } from './character-map.js';
import { tablesOf } from './sfnt.js';
import { typeset } from './typeset.js';

// The largest font has 10 MB, and each call reads it.
jest.setTimeout(120_000);

const of = (regular: string, bold = '') => typeset({ regular, bold });
const has = (font: Buffer | null | undefined, text: string): boolean => {
  const glyphs = glyphsOf((font && tablesOf(font).get('cmap')) ?? Buffer.alloc(4));
  return Array.from(text).every((character) => glyphs.has(character.codePointAt(0) ?? 0));
};

test('fonts hold what is needed: TrueType, a small part of the whole, larger with more characters', async () => {
  const few = await of('字');
  const many = await of('销售报告第一季度总结与展望');
  for (const { fonts } of [few, many]) for (const { regular } of fonts) expect(regular.readUInt32BE(0)).toBe(0x00010000);
  expect(many.fonts[0].regular.length).toBeGreaterThan(few.fonts[0].regular.length);
  expect(many.fonts[0].regular.length).toBeLessThan(200_000);
});

test('the bold font has what is bold and no more', async () => {
  const { fonts } = await of('细体', '粗');
  expect(has(fonts[0].regular, '细体')).toBe(true);
  expect(has(fonts[0].bold, '粗')).toBe(true);
  expect(has(fonts[0].bold, '细')).toBe(false);
});

test('for a browser they are packed', async () => {
  const { fonts } = await of('字');
  const packed = await toWoff2(fonts[0].regular);
  expect(packed.toString('latin1', 0, 4)).toBe('wOF2');
  expect(packed.length).toBeLessThan(fonts[0].regular.length);
});

test.each([
  ['English ά Русский Tiếng Việt ₹ ₿', 'en', ['Noto Sans']],
  ['中文刘䶮', 'zh', ['Noto Sans SC']],
  ['繁體咗𨋢', 'zh', ['Noto Sans SC', 'Noto Sans HK']],
  ['𠮷野家のごはん', 'ja', ['Noto Sans JP']],
  ['한국어 각', 'ko', ['Noto Sans KR']],
  ['ไทย', 'en', ['Noto Sans', 'Noto Sans Thai']],
  ['हिन्दी', 'en', ['Noto Sans', 'Noto Sans Devanagari']],
  ['العربية', 'en', ['Noto Sans', 'Vazirmatn']],
  ['עברית', 'en', ['Noto Sans', 'Noto Sans Hebrew']],
  ['✔ ☑ 😀 👨‍👩‍👧', 'en', ['Noto Sans', 'Noto Sans Symbols 2', 'Noto Emoji']],
  ['ᚠᚢᚦ', 'en', ['Noto Sans', 'UnifontEX']],
])('%s is set in %s with %j', async (text, language, families) => {
  const set = await of(text);
  expect([set.language, set.fonts.map(({ family }) => family)]).toEqual([language, families]);
  expect(set.missing).toEqual(new Map());
});

test('a character and its marks come from one font, composed or not', async () => {
  const { familyOf, fonts } = await of('x\u0304 e\u0301 각'.normalize('NFD'));
  expect([familyOf('x\u0304'), familyOf('e\u0301'), familyOf('각'.normalize('NFD'))]).toEqual([
    'Noto Sans',
    'Noto Sans KR',
    'Noto Sans KR',
  ]);
  expect(has(fonts.find(({ family }) => family === 'Noto Sans KR')?.regular, '각')).toBe(true);
});

test('a font in many parts is one font, with the characters of all of them', async () => {
  const text = Array.from({ length: 3_000 }, (_, index) => String.fromCodePoint(0xac00 + index * 3)).join('');
  const { fonts } = await of(text);
  expect(has(fonts[0].regular, text)).toBe(true);
});

test('what no font can draw is told, with how often it stands there', async () => {
  const { missing, familyOf } = await of('a\u{10fffd}b\u{10fffd}', '\u{e000f}\u0378');
  expect(missing.get('\u{10fffd}')).toBe(2);
  expect(familyOf('\u{10fffd}')).toBeUndefined();
});
