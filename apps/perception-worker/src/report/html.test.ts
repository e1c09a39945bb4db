import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pageOf } from './html.js';
import { readMarkdown } from './markdown.js';

const [regular, bold] = [Buffer.from('regular'), Buffer.from('bold')];
const fonts = [
  { family: 'Noto Sans', weight: 400, woff2: regular },
  { family: 'Noto Sans', weight: 700, woff2: bold },
] as const;
const page = (markdown: string, title = 'Title'): string => pageOf(title, readMarkdown(markdown), { language: 'zh', fonts });
const bodyOf = (markdown: string): string => /<\/h1>\n([\s\S]*)\n<\/body>/.exec(page(markdown))?.[1] ?? '';

describe('a page', () => {
  test('has its fonts inside, and a policy that lets it load nothing', () => {
    const html = page('words');
    expect(html).toContain(`url(data:font/woff2;base64,${regular.toString('base64')})`);
    expect(html).toContain(`url(data:font/woff2;base64,${bold.toString('base64')})`);
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; font-src data:"`);
    expect(html.startsWith('<!doctype html>\n<html lang="zh">')).toBe(true);
  });

  test.each([
    ['plain', 'plain'],
    ['<script>', '&#x3C;script>'],
    ['a & b', 'a &#x26; b'],
    ['周报 😀', '周报 😀'],
  ])('has the title %j as words', (title, written) => {
    expect(page('', title)).toContain(`<title>${written}</title>`);
    expect(page('', title)).toContain(`<h1>${written}</h1>`);
  });
});

test.each([
  ['## Two', '<h2>Two</h2>'],
  ['**b** *i* ~~s~~ `c`', '<p><strong>b</strong> <em>i</em> <del>s</del> <code>c</code></p>'],
  ['[a](https://x.example/?b=1&c=2)', '<p><a href="https://x.example/?b=1&#x26;c=2">a</a></p>'],
  ['> q', '<blockquote>\n<p>q</p>\n</blockquote>'],
  ['3. three', '<ol start="3">\n<li>three</li>\n</ol>'],
  ['---', '<hr>'],
  ['    code <b>', '<pre><code>code &#x3C;b>\n</code></pre>'],
  ['<b>bold</b>', '<p>&#x3C;b>bold&#x3C;/b></p>'],
  ['![alt](https://x.example/i.png)', '<p><a href="https://x.example/i.png">[image: alt]</a></p>'],
  ['[x](javascript:alert(1))', '<p>x</p>'],
  ['这是**“重点”**的说明~~（旧）~~了', '<p>这是<strong>“重点”</strong>的说明<del>（旧）</del>了</p>'],
  ['שלום word', '<p dir="rtl">שלום word</p>'],
])('%j becomes %j', (markdown, html) => expect(bodyOf(markdown)).toBe(html));

test('a table keeps the alignment of its columns', () => {
  expect(bodyOf('| a | b |\n|:-:|--:|\n| 1 | 2 |')).toContain('<td align="center">1</td>\n<td align="right">2</td>');
});

test('a cell beyond the header is shown, and a note that nothing refers to', () => {
  expect(bodyOf('| a |\n|---|\n| 1 | beyond |')).toContain('beyond');
  expect(bodyOf('x\n\n[^n]: alone')).toContain('alone');
  expect(bodyOf('x[^n]\n\n[^n]: first\n\n[^n]: second')).toContain('second');
});

test('a footnote and its mark lead to each other', () => {
  const html = bodyOf('word[^1]\n\n[^1]: note');
  for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) expect(html).toContain(`id="${id}"`);
});

test('the language of code is a word or is left out', () => {
  expect(bodyOf('```c++\nx\n```')).toContain('<code class="language-c++">');
  expect(bodyOf('```<script>alert(1)</script>\nx\n```')).not.toContain('<script');
});

test('whatever is written, the page has no element that loads, runs or sends, and no handler', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '<svg/onload=alert(1)>',
      '<iframe srcdoc="x">',
      '<form action=x>',
      '<base href=//evil.example>',
      '<style>*{}</style>',
      '[a](data:text/html,x)',
      '[a](//evil.example)',
      '![a](x"onerror="y)',
      '"><script>',
      '</body></html>',
      '`',
      '\n\n',
      '| a |\n|---|\n| b |',
      '[^1]: <script>',
    ),
    fc.string({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const html = bodyOf(pieces.join(''));
      expect(html).not.toMatch(
        /<(script|img|svg|iframe|form|base|style|object|embed|link|meta|input(?! type="checkbox" disabled)|video|audio)\b/i,
      );
      expect(html).not.toMatch(/<[^>]*\son\w+\s*=/i);
      expect(html).not.toMatch(/(href|src)="(?!https?:|mailto:|#)/i);
    }),
  );
});
