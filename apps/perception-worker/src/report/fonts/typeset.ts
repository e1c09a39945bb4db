// Chooses a font for each character of a report, and cuts the fonts that are needed down to what is needed.
import { facesFor, type Face, type ReportLanguage } from './faces.js';
import { charactersIn, cutFont } from './font-files.js';
import { graphemesOf, visibleIn } from './graphemes.js';

export interface ReportText {
  readonly regular: string;
  readonly bold: string;
}

export interface ReportFont {
  readonly family: string;
  readonly regular: Buffer;
  /** null: nothing is bold in it, or it has no bold letters. */
  readonly bold: Buffer | null;
}

export interface Typeset {
  readonly language: ReportLanguage;
  /** The first is that of the document; each character is drawn by the first that has it. */
  readonly fonts: readonly [ReportFont, ...ReportFont[]];
  /** The family of a grapheme; undefined for what leaves no mark, and for what none can draw. */
  readonly familyOf: (grapheme: string) => string | undefined;
  /** Characters that no font can draw, with how often each is in the text. */
  readonly missing: ReadonlyMap<string, number>;
}

/** Characters that the renderers write themselves: page numbers, bullets, boxes of tasks, marks of footnotes. */
const alwaysIncluded = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('') + '\u00a0•';

export async function typeset(text: ReportText): Promise<Typeset> {
  const language = languageOf(text.regular + text.bold);
  const faces = facesFor(language);
  const bold = graphemesOf(text.bold);
  const all = [...graphemesOf(text.regular), ...bold];
  const unique = new Set([...all, ...Array.from(alwaysIncluded)]);
  const faceOf = await assign(unique, faces);
  // What no font has as a whole is drawn in parts.
  const apart = [...unique].filter((grapheme) => !faceOf.has(grapheme) && visibleIn(grapheme).length > 0);
  const faceOfPart = await assign(new Set(apart.flatMap((grapheme) => Array.from(grapheme))), faces);
  const charactersOf = charactersByFace(faceOf, faceOfPart, apart);
  const boldCharacters = new Set(bold.flatMap(partsOf));
  const [first] = faces;
  const fonts: ReportFont[] = [];
  for (const face of faces) {
    const characters = charactersOf.get(face);
    if (characters) fonts.push(await fontOf(face, { characters: [...characters], bold: boldCharacters, isFirst: face === first }));
  }
  const [main, ...others] = fonts;
  if (!main) throw new Error('No font has the letters of ASCII');
  return {
    language,
    fonts: [main, ...others],
    familyOf: (grapheme) => (faceOf.get(grapheme) ?? faceOfPart.get(grapheme))?.family,
    missing: missingIn(all, new Set(apart), faceOfPart),
  };
}

interface FontNeeds {
  readonly characters: readonly string[];
  readonly bold: ReadonlySet<string>;
  readonly isFirst: boolean;
}

/** The bold font has what is bold in the report, and no more: it is as large as the regular one. */
async function fontOf(face: Face, { characters, bold, isFirst }: FontNeeds): Promise<ReportFont> {
  const heavy = characters.filter((character) => bold.has(character) || (isFirst && alwaysIncluded.includes(character)));
  const hasBold = heavy.length > 0 && face.files().some((file) => file.bold !== null);
  return {
    family: face.family,
    regular: await cutFont(face, 'regular', characters.join('')),
    bold: hasBold ? await cutFont(face, 'bold', heavy.join('')) : null,
  };
}

/** The first face that has all of a grapheme. Only files that may have something of it are read. */
async function assign(graphemes: ReadonlySet<string>, faces: readonly Face[]): Promise<Map<string, Face>> {
  const found = new Map<string, Face>();
  let open = [...graphemes].filter((grapheme) => grapheme === ' ' || visibleIn(grapheme).length > 0);
  for (const face of faces) {
    const points = [...new Set(open.flatMap(formsOf))].map((character) => character.codePointAt(0) ?? 0);
    const has = new Set<number>();
    for (const file of face.files()) {
      const worthALook = points.filter(file.mayHave);
      if (worthALook.length === 0) continue;
      const characters = await charactersIn(file);
      for (const point of worthALook) if (characters.has(point)) has.add(point);
    }
    if (has.size === 0) continue;
    const draws = (form: string): boolean => visibleIn(form).every((point) => has.has(point));
    const left: string[] = [];
    for (const grapheme of open) {
      const composed = grapheme.normalize('NFC');
      // Where marks are not placed on their letters, the letter must have them.
      const isDrawn = face.joins || visibleIn(composed).length <= 1;
      if (isDrawn && (draws(grapheme) || draws(composed))) found.set(grapheme, face);
      else left.push(grapheme);
    }
    open = left;
  }
  return found;
}

/** Its characters, composed and decomposed: those who draw choose the form that the font has. */
function formsOf(grapheme: string): string[] {
  return [...new Set(Array.from(grapheme + grapheme.normalize('NFC') + grapheme.normalize('NFD')))];
}

/** What a Khmer vowel around its letter begins with. */
const khmerVowels = /[\u17be-\u17c0\u17c4\u17c5]/u;

/** What those who draw take apart, and so must find in the font: the vowel am of Thai and Lao, vowels of Khmer. */
function partsOf(grapheme: string): string[] {
  const parts = grapheme.normalize('NFKD') + (khmerVowels.test(grapheme) ? '\u17c1' : '');
  return [...new Set([...formsOf(grapheme), ...Array.from(parts)])];
}

function charactersByFace(
  faceOf: ReadonlyMap<string, Face>,
  faceOfPart: ReadonlyMap<string, Face>,
  apart: readonly string[],
): ReadonlyMap<Face, ReadonlySet<string>> {
  const characters = new Map<Face, Set<string>>();
  const add = (face: Face | undefined, grapheme: string): void => {
    if (!face) return;
    const own = characters.get(face) ?? new Set();
    for (const character of partsOf(grapheme)) own.add(character);
    characters.set(face, own);
  };
  for (const [grapheme, face] of faceOf) add(face, grapheme);
  for (const grapheme of apart) for (const character of grapheme) add(faceOfPart.get(character), character);
  return characters;
}

function missingIn(all: readonly string[], apart: ReadonlySet<string>, faceOfPart: ReadonlyMap<string, Face>): ReadonlyMap<string, number> {
  const missing = new Map<string, number>();
  for (const grapheme of all) {
    if (!apart.has(grapheme)) continue;
    for (const point of visibleIn(grapheme)) {
      const character = String.fromCodePoint(point);
      if (!faceOfPart.has(character)) missing.set(character, (missing.get(character) ?? 0) + 1);
    }
  }
  return missing;
}

/** The language whose forms of shared characters and punctuation the text is written with. */
function languageOf(text: string): ReportLanguage {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const [han, kana, hangul] = [
    count(/\p{Script=Han}/gu),
    count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu),
    count(/\p{Script=Hangul}/gu),
  ];
  if (han + kana + hangul === 0) return 'en';
  if (hangul > han && hangul > kana) return 'ko';
  return kana * 5 > han ? 'ja' : 'zh';
}
