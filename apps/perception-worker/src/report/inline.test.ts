import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Root } from 'mdast';
import { toString } from 'mdast-util-to-string';
import { runsOf, type InlineRun } from './inline.js';
import { readMarkdown } from './markdown.js';

function runsIn(markdown: string): readonly InlineRun[] {
  return readMarkdown(markdown).children.flatMap((node: Root['children'][number]) =>
    node.type === 'paragraph' ? runsOf(node.children) : [],
  );
}

test.each<[string, readonly InlineRun[]]>([
  ['words', [{ text: 'words' }]],
  ['**bold**', [{ text: 'bold', bold: true }]],
  ['*leaning*', [{ text: 'leaning', emphasis: true }]],
  ['~~gone~~', [{ text: 'gone', strike: true }]],
  ['`a < b`', [{ text: 'a < b', code: true }]],
  ['***both***', [{ text: 'both', bold: true, emphasis: true }]],
  ['[words](https://example.com)', [{ text: 'words', link: 'https://example.com' }]],
  [
    '[**bold** link](https://example.com)',
    [
      { text: 'bold', bold: true, link: 'https://example.com' },
      { text: ' link', link: 'https://example.com' },
    ],
  ],
  ['soft\nbreak', [{ text: 'soft break' }]],
  ['第一行\n第二行，\n第三\nword', [{ text: '第一行第二行，第三 word' }]],
  ['hard  \nbreak', [{ text: 'hard' }, { text: '\n' }, { text: 'break' }]],
  [
    '**a `b` c**',
    [
      { text: 'a ', bold: true },
      { text: 'b', bold: true, code: true },
      { text: ' c', bold: true },
    ],
  ],
  ['这是**“重点”**的', [{ text: '这是' }, { text: '“重点”', bold: true }, { text: '的' }]],
  ['一~~（旧）~~二', [{ text: '一' }, { text: '（旧）', strike: true }, { text: '二' }]],
  ['note[^x]\n\n[^x]: y', [{ text: 'note' }, { text: '[x]', raised: true }]],
])('%j is set as %j', (markdown, runs) => expect(runsIn(markdown)).toEqual(runs));

test('no word of a line is lost, whatever its marks', () => {
  const piece = fc.oneof(fc.constantFrom('**', '*', '~~', '`', '[a](https://x.example)', ' '), fc.stringMatching(/^[a-z你好]{1,6}$/));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 15 }), (pieces) => {
      const markdown = `word ${pieces.join('')}`;
      const [paragraph] = readMarkdown(markdown).children;
      if (paragraph?.type !== 'paragraph') return;
      expect(
        runsOf(paragraph.children)
          .map(({ text }) => text)
          .join(''),
      ).toBe(toString(paragraph));
    }),
  );
});
