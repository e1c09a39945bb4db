// The pages that Typst makes, read again: nothing is off the page, and nothing is gone.
import { describe, expect, jest, test } from '@jest/globals';
import { extractText, getDocumentProxy } from 'unpdf';
import { renderReport } from '../render.js';

jest.setTimeout(120_000);

const [pageWidth, margin] = [595, 50];

/** Where each piece of text ends, and the text of all pages. */
async function pagesFor(content: string) {
  const { bytes } = await renderReport({ title: 'T', content, format: 'pdf' }, () => undefined);
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const { text } = await extractText(document, { mergePages: true });
  let [left, right, lowest] = [pageWidth, 0, Infinity];
  for (let number = 1; number <= document.numPages; number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent();
    for (const item of items) {
      if (!('str' in item) || item.str.trim() === '') continue;
      const [, , , , x = 0, y = 0] = item.transform.map(Number);
      left = Math.min(left, x);
      right = Math.max(right, x + item.width);
      lowest = Math.min(lowest, y);
    }
  }
  return { text: text.replaceAll(/\s/g, ''), pages: document.numPages, left, right, lowest };
}

const long = '很长的文字。'.repeat(500);
const link = `https://example.com/${'abcdefghij'.repeat(15)}`;
const columns = Array.from({ length: 60 }, (_, index) => `c${index}`);

describe('nothing is off the page or gone', () => {
  test.each<[string, string, readonly string[]]>([
    ['a cell higher than a page', `| a | b |\n|---|---|\n| ${long}END | x |\n| next | y |`, ['END', 'next']],
    ['a header higher than a page', `| ${long}END | b |\n|---|---|\n| next | x |`, ['END', 'next']],
    ['a link in a cell', `| a | b |\n|---|---|\n| ${link} | after |`, [link, 'after']],
    ['a link in a narrow column', `|${' a |'.repeat(10)}\n|${'---|'.repeat(10)}\n|${` ${link} |`.repeat(10)}`, [link.slice(0, 8)]],
    ['a token in code', `\`\`\`\n${'x'.repeat(500)}END\n\`\`\``, ['END']],
    ['a token in a heading', `# ${'W'.repeat(300)}END`, ['END']],
    ['a token in bold', `**${'W'.repeat(300)}END**`, ['END']],
    [
      'many columns',
      `| ${columns.join(' | ')} |\n|${'---|'.repeat(60)}\n| ${columns.map((name) => `v${name}`).join(' | ')} |`,
      ['c59', 'vc59'],
    ],
    [
      'deep lists',
      Array.from({ length: 19 }, (_, depth) => `${'  '.repeat(depth)}- ${'level'.repeat(40)}${depth}`).join('\n'),
      ['level18'],
    ],
    ['deep quotations', `${'> '.repeat(37)}${'deep'.repeat(60)}END`, ['END']],
    ['a long number of a list', `999999999. item`, ['999999999.', 'item']],
    ['an Arabic text without spaces', 'ب'.repeat(900), ['ب'.repeat(20)]],
    ['emoji without spaces', '😀'.repeat(200), ['😀'.repeat(20)]],
    ['a note with a table', `x[^1]\n\n[^1]: note\n\n    | a |\n    |---|\n    | in the note |`, ['inthenote']],
    ['code in an item', `- item\n\n  \`\`\`\n  code of item\n  \`\`\``, ['codeofitem']],
    ['an item that begins with a list', `- - inner`, ['inner']],
    ['an empty item', `-\n- second`, ['second']],
  ])('%s', async (_, content, words) => {
    const { text, left, right, lowest } = await pagesFor(content);
    for (const word of words) expect(text).toContain(word.replaceAll(/\s/g, ''));
    expect(left).toBeGreaterThanOrEqual(margin - 30);
    expect(right).toBeLessThanOrEqual(pageWidth - margin + 2);
    expect(lowest).toBeGreaterThan(20);
  });
});

test.each([
  ['cell', `| a | b |\n|---|---|\n| ${long} | x |`],
  ['header', `| ${long} | b |\n|---|---|\n| y | x |`],
  ['quotation', `> ${long}`],
  ['item', `- ${long}`],
  ['block of code', `    ${long}`],
])('of a %s over several pages no character is gone', async (_, content) => {
  const { text, pages } = await pagesFor(content);
  expect(pages).toBeGreaterThan(1);
  expect(text.match(/[很长的文字。]/g)).toHaveLength(long.length);
});

test('a table over many pages shows its header on each', async () => {
  const { text, pages } = await pagesFor(`| header | b |\n|---|---|\n${'| row | text |\n'.repeat(200)}`);
  expect(pages).toBeGreaterThan(3);
  expect(text.match(/header/g)).toHaveLength(pages);
});

test('no text of a report is read as Typst', async () => {
  const hostile = '#read("/etc/passwd") #import "@preview/x:1.0.0" $x^2$ \\u{41} [#panic()] "quoted" <label> @ref = heading';
  const { text } = await pagesFor(`${hostile.replace('<label>', '&lt;label&gt;')}\n\n\`\`\`\n${hostile}\n\`\`\``);
  expect(text).toContain(hostile.replaceAll(/\s/g, ''));
});
