// The render process as the worker starts it: built, without rights.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { afterAll, expect, jest, test } from '@jest/globals';
import JSZip from 'jszip';
import { extractText, getDocumentProxy } from 'unpdf';
import { Renderer } from './renderer.js';
import { TooComplex } from './report.js';
import type { ReportRequest } from './report.js';

jest.setTimeout(60_000);
const renderer = new Renderer(process.cwd());
afterAll(() => renderer.close());
const tenant = 't';

async function make(order: ReportRequest): Promise<{ bytes: Buffer; warnings: readonly string[]; steps: readonly number[] }> {
  const steps: number[] = [];
  const { bytes, warnings } = await renderer.render(order, {
    tenant,
    signal: new AbortController().signal,
    onProgress: (percent) => steps.push(percent),
  });
  return { bytes: Buffer.from(bytes), warnings, steps };
}

const content = `## 销售 Sales

正文 *强调* **重要** ~~旧~~ \`code\` [link](https://example.com/a?b=1&c=2)

| 城市 | Orders |
| :--- | ---: |
| 北京 | 120 |
| São Paulo | 7 |

1. 第一
   - [x] done
2. 第二

> 引用

\`\`\`
if (a < b) { return "值"; }
\`\`\`

脚注[^1]

[^1]: 说明
`;
const words = ['销售 Sales', '重要', '北京', '120', 'São Paulo', '第一', '引用', 'if (a < b)', '说明'];

test('a PDF has the text, and fonts of its own', async () => {
  const { bytes, steps } = await make({ title: '周报 <b>', content, format: 'pdf' });
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true });
  for (const word of ['周报 <b>', ...words]) expect(text).toContain(word);
  const raw = bytes.toString('latin1');
  expect(raw).toMatch(/\/FontFile2/);
  expect(raw).toMatch(/NotoSansSC-Regular/);
  expect(raw).not.toMatch(/\/JavaScript|\/Launch|\/EmbeddedFile/);
  expect(bytes.length).toBeLessThan(100_000);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
});

test('a DOCX has the text, tables, numbering and fonts', async () => {
  const { bytes } = await make({ title: '周报', content, format: 'docx' });
  const zip = await JSZip.loadAsync(bytes);
  const xml = (await zip.file('word/document.xml')?.async('string')) ?? '';
  const text = xml
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"');
  for (const word of words) expect(text).toContain(word);
  expect(xml.match(/<w:tbl>/g)).toHaveLength(1);
  expect(Object.keys(zip.files)).toEqual(expect.arrayContaining(['word/fonts/font1.odttf', 'word/fonts/font2.odttf']));
});

test('a page stands alone and shows hostile Markdown as words', async () => {
  const hostile =
    '<script>fetch("http://x")</script>\n\n<img src=x onerror=alert(1)>\n\n[a](javascript:alert(1))\n\n**[c](https://example.com/"onclick="x)**';
  const { bytes } = await make({ title: '</title><script>1</script>', content: `${content}\n\n${hostile}`, format: 'html' });
  const page = bytes.toString('utf8');
  for (const word of ['重要', '北京', 'São Paulo', 'data:font/woff2;base64,', "default-src 'none'"]) expect(page).toContain(word);
  expect(page).not.toMatch(/<(script|img|iframe|object|embed|form|base|link)\b/i);
  expect(page).not.toMatch(/<[^>]+\s(on\w+|style)\s*=/i);
  expect(page).not.toMatch(/(href|src)="(?!https:\/\/example\.com|#|mailto:)[^"]*"/);
  for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${id}"`);
});

test.each(['pdf', 'docx', 'html'] as const)('a %s asks nobody for anything', async (format) => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  try {
    const lure = `![a](${url}/a.png)\n\n<img src="${url}/b.png">\n\n![c](file:///etc/passwd)\n\n<link rel="stylesheet" href="${url}/c.css">\n\n[d](${url}/d)`;
    const { bytes } = await make({ title: 't', content: lure, format });
    expect(bytes.toString('latin1')).not.toContain('root:x:');
    expect(asked).toBe(0);
  } finally {
    server.close();
  }
});

test.each(['pdf', 'docx', 'html'] as const)('a %s tells what it leaves out', async (format) => {
  const { warnings } = await make({ title: 't', content: 'a\u{10fffd}\u{10fffd} ![chart](https://example.com/c.png) \u0007', format });
  expect(warnings).toEqual([
    expect.stringContaining('U+0007 once'),
    expect.stringContaining('chart (https://example.com/c.png)'),
    expect.stringContaining('U+10FFFD) 2 times'),
  ]);
});

test('a report without end is ended with its call, and the next is made', async () => {
  const stop = new AbortController();
  const slow = renderer.render(
    { title: 't', content: '北京 '.repeat(60_000), format: 'pdf' },
    { tenant, signal: stop.signal, onProgress: () => stop.abort(new Error('gone')) },
  );
  await expect(slow).rejects.toThrow();
  expect((await make({ title: 't', content: 'short', format: 'html' })).bytes.length).toBeGreaterThan(100);
});

test('what nests too deep is too complex', async () => {
  await expect(make({ title: 't', content: '> '.repeat(500) + 'x', format: 'pdf' })).rejects.toThrow(TooComplex);
});
