import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoints } from '#lib/retrieval';
import { UnreadableDocument, type NewDocument } from '../document.js';
import { readDocument } from './read-document.js';
import { readJsonLine } from './json-line.js';

const read = (path: string, text: string | Uint8Array): Promise<NewDocument> =>
  readDocument(path, typeof text === 'string' ? Buffer.from(text) : text);

describe('Markdown', () => {
  test('with front matter and section facts gives all of them', async () => {
    const document = await read(
      'pages/sleep.md',
      `---
title: 睡眠
title_en: Sleep
domain: sleep
type: internal
tags: [sleep, rest]
source_url: https://example.com/sleep
source: "AASM, Sleep, 2015"
updated: 2026-02-03
---

Before any heading.

## 睡多久 {#how-long}

> **How long to sleep.** Seven hours
> or more.
> **Key terms:** duration, 时长，hours
> **Source:** AASM, Recommended sleep, 2015, https://aasm.org/x.

成年人七小时。

### 例外

> A plain quotation.

\`\`\`
# no heading
\`\`\`
`,
    );
    expect(document).toMatchObject({
      title: '睡眠',
      titleEn: 'Sleep',
      domain: 'sleep',
      type: 'internal',
      tags: ['sleep', 'rest'],
      sourceUrl: 'https://example.com/sleep',
      source: 'AASM, Sleep, 2015',
      updated: new Date('2026-02-03'),
    });
    expect(document.sections).toEqual([
      { anchor: null, headingPath: [], title: '睡眠', content: 'Before any heading.' },
      {
        anchor: 'how-long',
        headingPath: [],
        title: '睡多久',
        titleEn: 'How long to sleep',
        summary: 'Seven hours or more.',
        keyTerms: ['duration', '时长', 'hours'],
        source: 'AASM, Recommended sleep, 2015',
        sourceUrl: 'https://aasm.org/x',
        content: '成年人七小时。',
      },
      { anchor: '例外', headingPath: ['睡多久'], title: '例外', content: '> A plain quotation.\n\n```\n# no heading\n```' },
    ]);
  });

  test('without any of it is a document too, and equal headings have anchors of their own', async () => {
    const { title, sections } = await read('notes.md', '# Notes\n\nHello.\n\n## Part\n\nOne.\n\n## Part\n\nTwo.');
    expect([title, sections.map(({ anchor }) => anchor)]).toEqual(['Notes', ['notes', 'part', 'part-1']]);
  });

  test('that is long is cut into parts of one anchor, with nothing lost', async () => {
    const words = Array.from({ length: 900 }, (_, n) => `第${n}句话说到这里。`).join('');
    const { sections } = await read('long.md', `## Long\n\n${words}`);
    expect(sections.length).toBeGreaterThan(3);
    expect(sections.map(({ content }) => content).join('')).toBe(words);
    for (const { content, anchor } of sections) expect([codePoints(content) <= 1_200, anchor]).toEqual([true, 'long']);
  });
});

test.each([
  ['broken.pdf', Buffer.from('%PDF-1.7 broken'), /no PDF/],
  ['latin1.txt', Buffer.from('café', 'latin1'), /UTF-8/],
  ['binary.txt', Buffer.from('a\0b'), /NUL/],
  ['empty.txt', Buffer.from('  \n'), /no text/],
  ['bad.md', Buffer.from('---\ntype: secret\n---\nx'), /type/],
  ['bad-yaml.md', Buffer.from('---\na: [\n---\nx'), /YAML/],
  ['thing.docx', Buffer.from('x'), /format/],
  ['huge.txt', Buffer.alloc(50 * 1_048_576, 97), /50 MB/],
])('%s is unreadable, and the reason is said', async (path, bytes, reason) => {
  await expect(read(path, bytes)).rejects.toThrow(UnreadableDocument);
  await expect(read(path, bytes)).rejects.toThrow(reason);
});

test('UTF-16 with its mark is read', async () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('睡眠', 'utf16le')]);
  expect((await read('a.txt', bytes)).content).toBe('睡眠');
});

test('HTML gives its headings and leaves scripts and navigation out', async () => {
  const { title, sections } = await read(
    'a.html',
    '<title>T</title><nav>Menu</nav><main><h1 id="top">Top</h1><p>One <b>two</b>.</p><ul><li>Three</li></ul><script>no()</script><h2>Next</h2><p>Four</p></main>',
  );
  expect([title, sections]).toEqual([
    'T',
    [
      { anchor: 'top', headingPath: [], title: 'Top', content: 'One two.\nThree' },
      { anchor: 'next', headingPath: ['Top'], title: 'Next', content: 'Four' },
    ],
  ]);
});

test('a line of JSONL is a document; a wrong one says why', () => {
  expect(readJsonLine('f:1', '{"_id":"d1","title":"T","text":"Body","url":"https://example.com"}')).toMatchObject({
    path: 'd1',
    title: 'T',
    content: 'Body',
    sourceUrl: 'https://example.com',
  });
  for (const line of ['no', '[]', '{"title":"x"}', '{"text":5}']) expect(() => readJsonLine('f:1', line)).toThrow(UnreadableDocument);
});

test('whatever a text holds, it is read or said to be unreadable', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('a.md', 'a.html', 'a.txt'), fc.string({ unit: 'grapheme', maxLength: 300 }), async (path, text) => {
      await read(path, text).catch((error: unknown) => expect(error).toBeInstanceOf(UnreadableDocument));
    }),
    { numRuns: 200 },
  );
});
