// What goes into a report comes out of its file again, or a warning names it.
import { constants, inflateSync } from 'node:zlib';
import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import JSZip from 'jszip';
import { extractText, getDocumentProxy } from 'unpdf';
import { visibleIn } from './fonts/graphemes.js';
import { renderReport } from './render.js';
import type { ReportRequest } from './report.js';

// A machine that is busy with other tests.
jest.setTimeout(300_000);

const scripts: Readonly<Record<string, string>> = {
  latin: 'The quick brown fox, “naïve” façade & Łódź',
  vietnamese: 'Tiếng Việt có dấu: phở, đường, nghĩa',
  greek: 'Ελληνικά ά έ ή ί ό ύ ώ ϊ ς',
  cyrillic: 'Съешь ещё этих мягких булок, їжак ґанок',
  armenian: 'Հայերեն լեզու',
  georgian: 'ქართული ენა',
  hebrew: 'עברית שלום עולם',
  arabic: 'العربية مرحبا بالعالم تثنيفق شسضصطظخحجغع',
  persian: 'فارسی پچژگ ۱۲۳',
  devanagari: 'हिन्दी में एक वाक्य है',
  bengali: 'বাংলা ভাষা',
  tamil: 'தமிழ் மொழி',
  telugu: 'తెలుగు భాష',
  kannada: 'ಕನ್ನಡ ಭಾಷೆ',
  malayalam: 'മലയാളം ഭാഷ',
  gujarati: 'ગુજરાતી ભાષા',
  gurmukhi: 'ਪੰਜਾਬੀ ਭਾਸ਼ਾ',
  sinhala: 'සිංහල භාෂාව',
  thai: 'ภาษาไทยไม่มีช่องว่าง น้ำ',
  lao: 'ພາສາລາວ ນ້ຳ',
  khmer: 'ភាសាខ្មែរ ដើម កៅអី ទៀន',
  myanmar: 'မြန်မာဘာသာ',
  ethiopic: 'አማርኛ ቋንቋ',
  korean: '한국어 보고서 각하',
  japanese: '日本語のレポート、𠮷野家・ヴァイオリン',
  simplified: '销售报告：第一季度“总结”与展望，刘䶮',
  traditional: '資料庫連線，繁體中文與香港嘅𨋢',
  currency: '₹100 ₿2 €3 £4 ¥5 ₩6 ₫7 ₴8 ₺9',
  marks: '✔ ☑ ☐ ✗ → ⇒ ∑ ∫ ≤ ≠ ∞ ① ★ ♥ ☎',
  emoji: '😀 🎉 🚀 👍🏽 🇨🇳 ❤️ 👨‍👩‍👧',
  runic: 'ᚠᚢᚦᚨᚱᚲ',
  nobody: '\u{10fffd}',
};

/** What can be read in the file, as others read it. */
const readers: Readonly<Record<ReportRequest['format'], (bytes: Uint8Array) => Promise<string>>> = {
  pdf: async (bytes) =>
    (await extractText(await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }), { mergePages: true })).text + wholesIn(bytes),
  docx: async (bytes) => withoutTags((await (await JSZip.loadAsync(bytes)).file('word/document.xml')?.async('string')) ?? ''),
  html: async (bytes) => withoutTags(/<body>[^]*<\/body>/.exec(Buffer.from(bytes).toString('utf8'))?.[0] ?? ''),
};
const formats = ['pdf', 'docx', 'html'] as const;

/** The texts that a PDF gives for several shapes together, such as a letter with its marks. unpdf does not read them, other readers do. */
function wholesIn(bytes: Uint8Array): string {
  const pdf = Buffer.from(bytes);
  const parts = [...pdf.toString('latin1').matchAll(/(?<!end)stream\r?\n/g)].map(({ index, 0: mark }) => {
    const packed = pdf.subarray(index + mark.length, pdf.indexOf('endstream', index));
    return packed[0] === 0x78 ? inflateSync(packed, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1') : '';
  });
  const wholes = parts.join('\n').matchAll(/\/ActualText <FEFF([0-9A-F]+)>/g);
  return Array.from(wholes, ([, hex = '']) => Buffer.from(hex, 'hex').swap16().toString('utf16le')).join(' ');
}

function withoutTags(xml: string): string {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return xml
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&#x([0-9A-F]+);/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity);
}

/** The visible characters, decomposed: those who draw may compose them. */
function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const point of visibleIn(text.normalize('NFKD'))) {
    const character = String.fromCodePoint(point);
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return counts;
}

async function lostOf(request: ReportRequest, text: string): Promise<readonly string[]> {
  const { bytes, warnings } = await renderReport(request, () => undefined);
  const found = countsOf(await readers[request.format](bytes));
  const told = warnings.join('\n');
  return [...countsOf(text)]

    .flatMap(([character, count]) =>
      (found.get(character) ?? 0) >= count || told.includes(character) ? [] : [`${character} ${found.get(character) ?? 0}/${count}`],
    );
}

describe.each(formats)('a %s', (format) => {
  test.each(Object.entries(scripts))('has every character of %s', async (_, text) => {
    expect(
      await lostOf({ title: text, content: `${text}\n\n**${text}**\n\n| ${text} |\n|---|\n| ${text} |`, format }, text.repeat(5)),
    ).toEqual([]);
  });

  test('has every character of a mixture of scripts', async () => {
    const word = fc.constantFrom(...Object.values(scripts).flatMap((text) => text.split(' ')));
    const text = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        expect(await lostOf({ title: 't', content, format }, content)).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});

test('a pdf has every word of every script where it stands alone', async () => {
  for (const word of new Set(Object.values(scripts).flatMap((text) => text.split(' '))))
    expect([word, await lostOf({ title: 't', content: word, format: 'pdf' }, word)]).toEqual([word, []]);
});
