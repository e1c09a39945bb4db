// The fonts of reports, all under the SIL Open Font License. A file is read when a text has a character that it may have.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file of a family: a whole font, or that for one part of the characters. */
export interface FontFile {
  readonly regular: string;
  /** The same as the regular one if its weight can be changed. null: bold text is drawn as regular text. */
  readonly bold: string | null;
  /** Whether it is worth reading for this character. What it really has, it says itself. */
  readonly mayHave: (codePoint: number) => boolean;
}

export interface Face {
  readonly family: string;
  /** Whether it has the rules by which marks and parts join with others. */
  readonly joins: boolean;
  readonly files: () => readonly FontFile[];
}

const matching = (pattern: RegExp) => (codePoint: number) => pattern.test(String.fromCodePoint(codePoint));
const always = (): boolean => true;

const western = face('Noto Sans', {
  regular: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf',
  mayHave: matching(/[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u),
});
/** The whole of GB 18030's characters of 16 bits, rare names too. */
const simplified = face('Noto Sans SC', {
  regular: '@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf',
  bold: '@expo-google-fonts/noto-sans-sc/700Bold/NotoSansSC_700Bold.ttf',
  mayHave: matching(
    /[\u0020-\u00ff\p{Script=Latin}\u2000-\u33ff\u3400-\u9fff\uf900-\ufaff\ufe10-\ufe6f\uff00-\uffef\u{1f100}-\u{1f2ff}\u{20000}-\u{3ffff}]/u,
  ),
});
const japanese = inParts('Noto Sans JP', 'jp');
const korean = inParts('Noto Sans KR', 'kr');
/** Traditional, with the characters of Cantonese beyond 16 bits. */
const traditional = inParts('Noto Sans HK', 'hk');

/** Before that of Noto, which draws letters and their dots apart: who copies from such a PDF gets other letters. */
const arabic = face(
  'Vazirmatn',
  anyWeight('@fontsource-variable/vazirmatn/files/vazirmatn-arabic-wght-normal.woff2', matching(/[\p{Script_Extensions=Arabic}]/u)),
);

const scripts = [
  'Arabic',
  'Hebrew',
  'Thai',
  'Devanagari',
  'Bengali',
  'Tamil',
  'Telugu',
  'Kannada',
  'Gujarati',
  'Gurmukhi',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Lao',
  'Myanmar',
  'Georgian',
  'Armenian',
  'Ethiopic',
].map((script) => ofScript(script));

const symbols = ['symbols', 'math', 'braille', 'mayan-numerals'].map((part) => ({
  regular: `@fontsource/noto-sans-symbols-2/files/noto-sans-symbols-2-${part}-400-normal.woff2`,
  bold: null,
  mayHave: matching(/[\p{S}\p{No}\p{P}]/u),
}));

const rest: readonly Face[] = [
  face('Noto Sans Symbols 2', ...symbols),
  face(
    'Noto Sans Symbols',
    anyWeight('@fontsource-variable/noto-sans-symbols/files/noto-sans-symbols-symbols-wght-normal.woff2', matching(/[\p{S}\p{N}\p{P}]/u)),
  ),
  face('Noto Sans Math', {
    regular: '@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal.woff2',
    bold: null,
    mayHave: matching(/[\p{S}\p{L}\p{N}]/u),
  }),
  // Drawn in one colour: Word and many readers of PDF know no fonts of more.
  face('Noto Emoji', {
    regular: '@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf',
    bold: '@expo-google-fonts/noto-emoji/700Bold/NotoEmoji_700Bold.ttf',
    mayHave: matching(/[\p{Emoji}\p{Emoji_Component}\p{S}]/u),
  }),
  // Has nearly every character of 16 bits, drawn in squares. Better than none.
  face('UnifontEX', { regular: '@fontsource/unifontex/files/unifontex-latin-400-normal.woff2', bold: null, mayHave: always }),
];

export type ReportLanguage = 'zh' | 'ja' | 'ko' | 'en';

/** The faces for a text of this language, the first that has a character draws it. The first is that of digits and marks. */
export function facesFor(language: ReportLanguage): readonly Face[] {
  const eastern = {
    zh: [simplified, traditional, japanese, western, korean],
    ja: [japanese, simplified, traditional, western, korean],
    ko: [korean, simplified, traditional, japanese, western],
    en: [western, simplified, traditional, japanese, korean],
  }[language];
  return [...eastern, arabic, ...scripts, ...rest];
}

function face(family: string, ...files: readonly FontFile[]): Face {
  return { family, joins: files.length === 1, files: () => files };
}

/** A file whose weight is chosen when it is cut. */
function anyWeight(file: string, mayHave: FontFile['mayHave']): FontFile {
  return { regular: file, bold: file, mayHave };
}

function ofScript(script: string): Face {
  const name = script.toLowerCase();
  const file = `@fontsource-variable/noto-sans-${name}/files/noto-sans-${name}-${name}-wght-normal.woff2`;
  // With the marks that scripts share: those of Arabic are of no script.
  return face(`Noto Sans ${script}`, anyWeight(file, matching(new RegExp(`[\\p{Script_Extensions=${script}}]`, 'u'))));
}

/** A font that comes in a hundred files of some characters each. */
function inParts(family: string, region: 'jp' | 'kr' | 'hk'): Face {
  const name = `noto-sans-${region}`;
  let files: readonly FontFile[] | undefined;
  const read = (): readonly FontFile[] => {
    const list: unknown = JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(`@fontsource-variable/${name}/unicode.json`)), 'utf8'));
    return Object.entries(list ?? {}).map(([part, ranges]) =>
      anyWeight(`@fontsource-variable/${name}/files/${name}-${part.replaceAll(/[[\]]/g, '')}-wght-normal.woff2`, within(String(ranges))),
    );
  };
  return { family, joins: false, files: () => (files ??= read()) };
}

/** @param ranges as in CSS: `U+20-7e,U+a9` */
function within(ranges: string): (codePoint: number) => boolean {
  const pairs = ranges.split(',').map((range) => {
    const [start = '', end = start] = range.trim().slice(2).split('-');
    return [Number.parseInt(start, 16), Number.parseInt(end, 16)] as const;
  });
  return (codePoint) => pairs.some(([start, end]) => start <= codePoint && codePoint <= end);
}
