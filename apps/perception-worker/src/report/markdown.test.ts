import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { toString } from 'mdast-util-to-string';
import { Losses } from './losses.js';
import { readMarkdown } from './markdown.js';
import { reportText } from './report-text.js';
import { TooComplex } from './report.js';

function* everyNode(node: Nodes): Generator<Nodes> {
  yield node;
  if ('children' in node) for (const child of node.children) yield* everyNode(child);
}

const hostile = [
  '<script>alert(1)</script>',
  'a <img src="http://127.0.0.1/x" onerror=alert(1)> b',
  '![pixel](http://169.254.169.254/latest)',
  '![local](file:///etc/passwd)',
  '[click](javascript:alert(1))',
  '[click](data:text/html;base64,PHNjcmlwdD4=)',
  '[click][ref]\n\n[ref]: vbscript:msgbox(1)',
  '![a][ref]\n\n[ref]: file:///etc/shadow',
  '<iframe src="file:///etc/passwd"></iframe>',
];

test.each(hostile)('%j becomes words', (markdown) => {
  const nodes = [...everyNode(readMarkdown(markdown))];
  expect(nodes.filter(({ type }) => ['html', 'image', 'imageReference', 'linkReference', 'definition'].includes(type))).toEqual([]);
  expect(nodes.flatMap((node) => (node.type === 'link' ? [node.url] : [])).filter((url) => !/^https?:/.test(url))).toEqual([]);
});

test('whatever is written, nothing is left that loads or runs', () => {
  const piece = fc.oneof(fc.constantFrom(...hostile, '> ', '- ', '| a |\n|-|\n', '\n\n', '**', '[^1]', '[^1]: x'), fc.string());
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const nodes = [...everyNode(readMarkdown(pieces.join('')))];
      return nodes.every(
        (node) =>
          !['html', 'image', 'imageReference', 'linkReference'].includes(node.type) &&
          (node.type !== 'link' || /^(https?|mailto):/i.test(node.url)),
      );
    }),
  );
});

test('what stood there is told', () => {
  expect(toString(readMarkdown('see ![a chart](https://example.com/c.png) <b>now</b>'))).toBe('see [image: a chart] <b>now</b>');
});

test('a line break inside a table is one', () => {
  const breaks = [...everyNode(readMarkdown('| a |\n|---|\n| x<br>y |'))].filter(({ type }) => type === 'break');
  expect(breaks).toHaveLength(1);
});

test('what nests without end is refused', () => {
  expect(() => readMarkdown('> '.repeat(60) + 'deep')).toThrow(TooComplex);
});

function warningsOf(markdown: string): readonly string[] {
  const losses = new Losses();
  readMarkdown(markdown, losses);
  return losses.warnings;
}

test.each([
  ['plain *words* and [a link](https://example.com)', []],
  ['![a chart](https://example.com/c.png)', [/Images are not loaded.*a chart \(https:\/\/example\.com\/c\.png\)/]],
  ['![a][r] ![](x.png)\n\n[r]: file:///etc/x', [/Images .*: a \(file:\/\/\/etc\/x\), \(x\.png\)\./]],
  ['[x](javascript:alert(1)) [y](../other.md)', [/the words alone are shown: javascript:alert\(1\), \.\.\/other\.md\./]],
  ['[a](https://a "T1") ![b](https://b "T2") [c] ![c]\n\n[c]: https://c "T3"', [/Titles of links .*: T3, T1, T2\./, /Images/]],
  ['a\n\n[Unused]: https://example.com', [/Nothing refers to these definitions.*\[Unused\]/]],
  ['a [used]\n\n[used]: https://example.com', []],
  ['a\u0007b\u0007\u0001', [/Control characters.*U\+0007 2 times, U\+0001 once\./]],
  ['---\ntitle: T\nauthor: A\n---\n\n# Words', [/front matter is not shown: title, author\./]],
])('%j is read with the warnings %j', (markdown, expected) => {
  const warnings = warningsOf(markdown);
  expect(warnings).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(warnings[index]).toMatch(pattern);
});

test('many cases of a kind are one warning, which is not endless', () => {
  const [warning = '', ...others] = warningsOf('![x](y.png) '.repeat(500) + `![${'long'.repeat(1_000)}](z)`);
  expect(others).toEqual([]);
  expect(warning).toMatch(/ and 471 more\.$/);
  expect(warning.length).toBeLessThan(5_000);
});

test('text between lines of dashes is front matter only if it says fields', () => {
  expect(toString(readMarkdown('---\ntitle: T\n---\n\nWords'))).toBe('Words');
  expect(toString(readMarkdown('---\n\n# Heading\n\n---\n\nWords'))).toBe('HeadingWords');
  expect(toString(readMarkdown('---\njust a sentence\n---\n\nWords'))).toContain('just a sentence');
});

test('its text is all of it, by weight', () => {
  const { regular, bold } = reportText('Title', readMarkdown('# 你好\n\n`码` **粗** [^注]\n\n[^注]: 尾\n\n| 头 |\n|---|\n| 体 |'));
  for (const character of '码注尾体') expect(regular).toContain(character);
  for (const character of ['Title', '你好', '粗', '头']) expect(bold).toContain(character);
});
