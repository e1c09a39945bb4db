// Subsets Noto Sans SC (SIL Open Font License) to the characters of one report: a few kilobytes instead of 20 megabytes.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import subsetFont from 'subset-font';
import type { ReportFonts } from './report.js';

const files = { regular: '400Regular/NotoSansSC_400Regular.ttf', bold: '700Bold/NotoSansSC_700Bold.ttf' } as const;
/** Characters that the renderers write themselves: page numbers, bullets, footnote marks. */
const alwaysIncluded = ` !"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_\`abcdefghijklmnopqrstuvwxyz{|}~•–—…“”‘’←→`;

/** The regular and the bold font with these characters. Characters that the font does not have are left out. */
export async function fontsFor(characters: string): Promise<ReportFonts> {
  const [regular, bold] = await Promise.all([subset(files.regular, characters), subset(files.bold, characters)]);
  return { regular, bold };
}

async function subset(file: string, characters: string): Promise<Buffer> {
  const whole = await readFile(fileURLToPath(import.meta.resolve(`@expo-google-fonts/noto-sans-sc/${file}`)));
  return subsetFont(whole, alwaysIncluded + characters, { targetFormat: 'sfnt' });
}

/** Compresses a font for browsers. */
export async function toWoff2(font: Buffer, characters: string): Promise<Buffer> {
  return subsetFont(font, alwaysIncluded + characters, { targetFormat: 'woff2' });
}
