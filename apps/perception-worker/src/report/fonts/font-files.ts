import fontverter from 'fontverter';
import subsetFont from 'subset-font';
import { readPackageFile } from '../package-file.js';
import { glyphsOf } from './character-map.js';
import type { Face, FontFile } from './faces.js';
import { mergeFonts } from './merge-fonts.js';
import { tablesOf } from './sfnt.js';

export type Weight = 'regular' | 'bold';

const axisOf = { regular: 400, bold: 700 } as const;
/** What the files read so far can draw: a process makes many reports. The files themselves are not kept. */
const drawn = new Map<string, Promise<ReadonlySet<number>>>();

/** The characters that the file can draw, by code point. */
export function charactersIn(file: FontFile): Promise<ReadonlySet<number>> {
  const found = drawn.get(file.regular) ?? readCharacters(file.regular);
  drawn.set(file.regular, found);
  return found;
}

async function readCharacters(path: string): Promise<ReadonlySet<number>> {
  const cmap = tablesOf(await trueType(path)).get('cmap');
  return new Set(cmap ? glyphsOf(cmap).keys() : []);
}

/** The font of the face that has these characters alone. */
export async function cutFont(face: Face, weight: Weight, text: string): Promise<Buffer> {
  const points = [...new Set(text)].map((character) => character.codePointAt(0) ?? 0);
  const parts: Buffer[] = [];
  for (const file of face.files()) {
    const wanted = points.filter(file.mayHave);
    if (wanted.length === 0) continue;
    const has = await charactersIn(file);
    const own = wanted.filter((point) => has.has(point));
    if (own.length > 0) parts.push(await cutFile(file, weight, String.fromCodePoint(...own)));
  }
  const [first, ...others] = parts;
  if (!first) throw new Error(`${face.family} has none of its characters`);
  return others.length === 0 ? first : mergeFonts([first, ...others]);
}

async function cutFile({ regular, bold }: FontFile, weight: Weight, text: string): Promise<Buffer> {
  return subsetFont(await trueType(weight === 'bold' && bold !== null ? bold : regular), text, {
    targetFormat: 'sfnt',
    noHinting: true,
    // Lines of other directions. That of UnifontEX is not as HarfBuzz wants it.
    dropTables: ['BASE'],
    ...(bold === regular && { variationAxes: { wght: axisOf[weight] } }),
  });
}

async function trueType(path: string): Promise<Buffer> {
  const bytes = await readPackageFile(path);
  return path.endsWith('.woff2') ? fontverter.convert(bytes, 'sfnt') : bytes;
}

/** Compresses a font for browsers. */
export async function toWoff2(font: Buffer): Promise<Buffer> {
  return fontverter.convert(font, 'woff2');
}
