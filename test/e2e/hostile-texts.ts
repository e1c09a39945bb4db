// Texts that are written to make their reader slow or large, each of the size that a call takes.
import { deflateSync } from 'node:zlib';

const fill = (unit: string, chars = 100_000): string => unit.repeat(Math.ceil(chars / unit.length));

/** Markdown: nesting, unclosed links and emphasis, blanks, tables, front matter that unfolds. */
export const hostileMarkdown: Readonly<Record<string, string>> = {
  lists: `# a\n${fill('- ', 16_000)}`,
  'nested lists': `# a\n${fill(`${'- '.repeat(90)}a\n`)}`,
  quotations: `# a\n${fill(`${'> '.repeat(90)}a\n`)}`,
  links: `# a\n${fill('[a](')}`,
  images: `# a\n${fill('![')}`,
  emphasis: `# a\n${fill('*a_ ')}`,
  instructions: `# a\n${fill('<?')}`,
  blanks: `# a\n${fill(' ', 40_000)}b`,
  'file links': `[a](${fill('.md#', 40_000)}`,
  'code in links': fill('[[a|`b`]] `'),
  headings: fill('# \n'),
  table: `|a|\n|-|\n${fill('|[a](b|')}`,
  aliases: `---\n${Array.from({ length: 30 }, (_, n) => `a${n}: &a${n} [${fill(n === 0 ? 'x,' : `*a${n - 1},`, 40)}]`).join('\n')}\n---\n`,
};

/** HTML: depth, tables inside of each other, formatting that each block opens again, blocks inside of blocks. */
export const hostileHtml: Readonly<Record<string, string>> = {
  depth: `${fill('<div>', 1_000_000)}a`,
  blocks: `${fill('<blockquote>a', 500_000)}`,
  tables: fill('<table><tr><td>', 500_000),
  formatting: `${Array.from({ length: 3_000 }, (_, n) => `<b id=${n}>`).join('')}${fill('<p>a', 40_000)}`,
};

/** A PDF whose every page shows the same stream: a thousand times as large as it is stored. */
export function pdfBomb(pages: number, streamBytes: number): Buffer {
  const stream = deflateSync(Buffer.alloc(streamBytes, '(a) Tj '));
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Count ${pages} /Kids [${Array.from({ length: pages }, (_, n) => `${n + 5} 0 R`).join(' ')}] >>`),
    Buffer.concat([Buffer.from(`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`), stream, Buffer.from('\nendstream')]),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    ...Array.from({ length: pages }, () =>
      Buffer.from('<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 3 0 R /Resources << /Font << /F1 4 0 R >> >> >>'),
    ),
  ];
  const body = objects.flatMap((object, n) => [Buffer.from(`${n + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
  return Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    ...body,
    Buffer.from(`trailer << /Root 1 0 R /Size ${objects.length + 1} >>\nstartxref\n0\n%%EOF\n`),
  ]);
}
