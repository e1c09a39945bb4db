// Documents through the processes in which the worker reads them.
import { afterAll, expect, test } from '@jest/globals';
import { deflateSync } from 'node:zlib';
import { UnreadableDocument } from '#lib/knowledge';
import { DocumentReader } from './document-reader.js';
import type { GivenDocument } from './reading.js';

const reader = new DocumentReader(process.cwd());
afterAll(() => reader.close());
const options = { tenant: 't', signal: new AbortController().signal };

/** What was read of each document: its title, or the reason why it was not. */
async function read(
  ...documents: readonly (Pick<GivenDocument, 'path' | 'content'> & Partial<GivenDocument>)[]
): Promise<readonly string[]> {
  const given = documents.map((document) => ({ encoding: 'utf-8' as const, ...document }));
  const results: string[] = [];
  for await (const source of reader.read(given, options)) {
    try {
      results.push(`${source.path}: ${(await source.read()).title}`);
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableDocument);
      results.push(`${source.path}: ${error instanceof Error ? error.message : ''}`);
    }
  }
  return results;
}

test('documents of all formats are read in their order, and one that cannot be read says why', async () => {
  expect(
    await read(
      { path: 'a.md', content: '# Sleep\n\ntext' },
      { path: 'b.html', content: '<title>Salt</title><p>text' },
      { path: 'c.txt', content: Buffer.from('text').toString('base64'), encoding: 'base64' },
      { path: 'd.jsonl', content: '{"id":"1","title":"One","text":"x"}\n\nno JSON\n' },
      { path: 'e.pdf', content: 'no PDF' },
      { path: 'f.exe', content: 'x' },
    ),
  ).toEqual([
    'a.md: Sleep',
    'b.html: Salt',
    'c.txt: c',
    'd.jsonl:1: One',
    'd.jsonl:3: the line is no JSON',
    expect.stringMatching(/^e\.pdf: it is no PDF that can be read/),
    expect.stringMatching(/^f\.exe: its format is not known/),
  ]);
});

test('HTML that is deeper than the stack is skipped, and the next document is read', async () => {
  expect(await read({ path: 'a.html', content: '<div>'.repeat(50_000) }, { path: 'b.md', content: '# B\n\ntext' })).toEqual([
    expect.stringMatching(/^a\.html: it (is nested too deep|holds no text|takes more than|has)/),
    'b.md: B',
  ]);
}, 60_000);

test('a PDF that unfolds to more than the memory is skipped, and the next document is read', async () => {
  const stream = deflateSync(Buffer.alloc(2 ** 26, '(a) Tj '));
  const parts = [
    '%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1 /Kids [4 0 R] >>\nendobj\n',
    `3 0 obj\n<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`,
    stream,
    '\nendstream\nendobj\n4 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 3 0 R >>\nendobj\ntrailer << /Root 1 0 R /Size 5 >>\n%%EOF\n',
  ];
  const content = Buffer.concat(parts.map((part) => Buffer.from(part))).toString('base64');
  expect(await read({ path: 'a.pdf', content, encoding: 'base64' }, { path: 'b.md', content: '# B\n\ntext' })).toEqual([
    expect.stringMatching(/^a\.pdf: it (takes more than|needs more than|holds no text)/),
    'b.md: B',
  ]);
}, 120_000);
