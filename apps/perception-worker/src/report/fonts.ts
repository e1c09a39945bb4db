// Noto Sans SC (SIL Open Font License), cut down to the characters of one report: a few kilobytes instead of 20 megabytes.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import subsetFont from 'subset-font';
import type { ReportFonts } from './report.js';

const files = { regular: '400Regular/NotoSansSC_400Regular.ttf', bold: '700Bold/NotoSansSC_700Bold.ttf' } as const;
/** What the renderers write themselves: page numbers, bullets, footnote marks. */
const alwaysIncluded = ` !"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_\`abcdefghijklmnopqrstuvwxyz{|}~•–—…“”‘’←→`;

export async function fontsFor(characters: string): Promise<ReportFonts> {
  const [regular, bold] = await Promise.all([subset(files.regular, characters), subset(files.bold, characters)]);
  return { regular, bold };
}

async function subset(file: string, characters: string): Promise<Buffer> {
  const whole = await readFile(fileURLToPath(import.meta.resolve(`@expo-google-fonts/noto-sans-sc/${file}`)));
  return subsetFont(whole, alwaysIncluded + characters, { targetFormat: 'sfnt' });
}

/** For a browser. */
export async function toWoff2(font: Buffer, characters: string): Promise<Buffer> {
  return subsetFont(font, alwaysIncluded + characters, { targetFormat: 'woff2' });
}
