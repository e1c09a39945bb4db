import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { toString } from 'mdast-util-to-string';
import { charactersOf, readMarkdown } from './markdown.js';
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

test('its characters are all of them', () => {
  expect(
    Array.from(charactersOf(readMarkdown('# 你好\n\n`码` [^注]\n\n[^注]: 尾')))
      .toSorted()
      .join(''),
  ).toBe(Array.from(' 你好码注尾').toSorted().join(''));
});
