import { describe, expect, test } from '@jest/globals';
import JSZip from 'jszip';
import { renderDocx } from './docx.js';
import { typeset } from './fonts/typeset.js';
import { readMarkdown } from './markdown.js';
import { reportText } from './report-text.js';

async function documentOf(markdown: string): Promise<JSZip> {
  const tree = readMarkdown(markdown);
  return JSZip.loadAsync(await renderDocx('Title', tree, await typeset(reportText('Title', tree))));
}
const part = async (zip: JSZip, name: string): Promise<string> => (await zip.file(name)?.async('string')) ?? '';
const xmlOf = async (markdown: string): Promise<string> => part(await documentOf(markdown), 'word/document.xml');

describe('a document', () => {
  test('has headings of their depth, and the title before them', async () => {
    const xml = await xmlOf('# One\n\n###### Six');
    expect([...xml.matchAll(/<w:pStyle w:val="(\w+)"/g)].map(([, style]) => style)).toEqual(['Title', 'Heading1', 'Heading6']);
  });

  test('sets text in bold, italics, strike, code and links', async () => {
    const zip = await documentOf('**bold** *lean* ~~gone~~ `code` [link](https://x.example/?a=1&b=2)');
    const xml = await part(zip, 'word/document.xml');
    for (const mark of ['<w:b/>', '<w:i/>', '<w:strike/>', '<w:hyperlink']) expect(xml).toContain(mark);
    expect(await part(zip, 'word/_rels/document.xml.rels')).toContain('https://x.example/?a=1&amp;b=2');
  });

  test('counts each ordered list from its own beginning', async () => {
    const numbering = await part(await documentOf('5. five\n6. six\n\ntext\n\n1. one'), 'word/numbering.xml');
    expect(
      [...numbering.matchAll(/<w:lvl w:ilvl="0"[^>]*><w:start w:val="(\d+)"\/><w:numFmt w:val="decimal"/g)].map(([, start]) => start),
    ).toEqual(expect.arrayContaining(['5', '1']));
  });

  test('has a row for each row of a table, all of one width', async () => {
    const xml = await xmlOf('| a | b |\n|---|---|\n| 1 |\n| 1 | 2 |');
    const rows = xml.split('<w:tr>').slice(1);
    expect(rows.map((row) => row.match(/<w:tc>/g)?.length)).toEqual([2, 2, 2]);
    expect(xml.match(/<w:tblHeader\/>/g)).toHaveLength(1);
  });

  test('marks tasks that are done and those that are not', async () => {
    const text = (await xmlOf('- [x] done\n- [ ] open')).replaceAll(/<[^>]+>/g, '');
    expect(text).toContain('[x] done');
    expect(text).toContain('[ ] open');
  });

  test('keeps the lines of code apart', async () => {
    const xml = await xmlOf('```\none\n\ntwo\n```');
    expect(xml.replaceAll(/<\/w:p>/g, '\n').replaceAll(/<[^>]+>/g, '')).toContain('one\n\ntwo');
  });

  test('nests lists to the ninth level and no deeper', async () => {
    const nested = Array.from({ length: 12 }, (_, depth) => `${'  '.repeat(depth)}- level ${depth}`).join('\n');
    const levels = [...(await xmlOf(nested)).matchAll(/<w:ilvl w:val="(\d+)"/g)].map(([, level]) => Number(level));
    expect(Math.max(...levels)).toBe(8);
    expect(levels).toHaveLength(12);
  });

  test('has the words of quotations, footnotes and rules', async () => {
    const text = (await xmlOf('> quoted\n\n---\n\nword[^1]\n\n[^1]: the note')).replaceAll(/<[^>]+>/g, ' ');
    for (const word of ['quoted', 'the note', '[1]']) expect(text).toContain(word);
  });

  test('shows what Word would take for markup as words', async () => {
    expect((await xmlOf('a < b & c > d "e"')).replaceAll(/<[^>]+>/g, '')).toContain('a &lt; b &amp; c &gt; d');
  });
});

describe('scripts', () => {
  test('that run from right to left do so, by paragraph and by word', async () => {
    const xml = await xmlOf('مرحبا **بالعالم**\n\nplain');
    expect(xml.match(/<w:bidi\/>/g)).toHaveLength(1);
    expect(xml.match(/<w:rtl\/>/g)?.length).toBeGreaterThanOrEqual(2);
    expect(xml).toContain('<w:bCs/>');
  });

  test('name their font, which is embedded, and bold letters only where something is bold', async () => {
    const zip = await documentOf('한국어 text สวัสดี **ไทย**');
    expect(await part(zip, 'word/document.xml')).toContain('w:ascii="Noto Sans Thai"');
    const fonts = await part(zip, 'word/fontTable.xml');
    const of = (family: string): string => fonts.split('<w:font ').find((font) => font.includes(`"${family}"`)) ?? '';
    expect(of('Noto Sans Thai')).toContain('w:embedBold');
    expect(of('Noto Sans KR')).toContain('w:embedRegular');
  });
});

test('the columns of a table share the width of the page, so long words are broken', async () => {
  const xml = await xmlOf(`| a | b |\n|---|---|\n| ${'x'.repeat(300)} | y |`);
  expect(xml).toContain('<w:tblLayout w:type="fixed"/>');
  const widths = [...xml.matchAll(/<w:gridCol w:w="(\d+)"/g)].map(([, width]) => Number(width));
  expect(widths).toHaveLength(2);
  expect(widths.reduce((sum, width) => sum + width, 0)).toBeLessThanOrEqual(9_026);
});
