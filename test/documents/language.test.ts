// Documents for readers outside of the project speak plainly: short sentences, and no word of the list.
import { globSync, readFileSync } from 'node:fs';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { toString } from 'mdast-util-to-string';
import type { Nodes } from 'mdast';
import { expect, test } from '@jest/globals';

const documents = ['README.md', 'docs/index.md', ...globSync('docs/{tutorials,how-to,reference,explanation}/*.md').toSorted()];

/** Word → what to write instead. */
const vocabulary: Readonly<Record<string, string>> = {
  'in order to': 'to',
  'make use of': 'use',
  'a number of': 'some, or the number',
  'utili[sz]e': 'use',
  leverage: 'use',
  via: 'by, through',
  simply: 'nothing',
  easily: 'nothing',
  obviously: 'nothing',
  'of course': 'nothing',
  please: 'nothing',
  seamless: 'what it does',
  powerful: 'what it does',
  robustly: 'what it does',
  'state of the art': 'what it does',
  'best[- ]in[- ]class': 'what it does',
  blazing: 'the figure',
  functionality: 'what it does',
  performant: 'fast, with the figure',
  'e\\.g\\.': 'such as',
  'i\\.e\\.': 'that is',
};
const mostWords = 35;

test.each(documents)('%s', (document) => {
  expect(faultsOf(readFileSync(document, 'utf8'))).toEqual([]);
});

test('a word of the list, a word that comes twice, and a long sentence are found; code is not read', () => {
  expect(faultsOf('Simply use the `via` door.\n\n- In order to to win')).toEqual([
    '"In order to": write to',
    '"Simply": write nothing',
    '"to to": once',
  ]);
  expect(faultsOf(`${'word of '.repeat(20)}mine.`)).toEqual([expect.stringMatching(/^41 words: word of/)]);
});

function faultsOf(markdown: string): readonly string[] {
  const texts = textsOf(fromMarkdown(markdown));
  const words = Object.entries(vocabulary).flatMap(([word, instead]) =>
    found(texts, new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'gi')).map((one) => `"${one}": write ${instead}`),
  );
  const twice = found(texts, /\b([a-z]+) \1\b/gi).map((one) => `"${one}": once`);
  const long = texts
    .flatMap((text) => text.split(/(?<=[.?!:;])\s+/))
    .flatMap((sentence) => {
      const count = sentence.split(/\s+/).length;
      return count > mostWords ? [`${count} words: ${sentence}`] : [];
    });
  return [...words, ...twice, ...long];
}

function found(texts: readonly string[], pattern: RegExp): readonly string[] {
  return texts.flatMap((text) => [...text.matchAll(pattern)].map(([one]) => one));
}

/** Paragraphs and headings without their code. Tables are no sentences. */
function textsOf(node: Nodes): readonly string[] {
  if (node.type === 'paragraph' || node.type === 'heading') {
    const text = toString({
      ...node,
      children: node.children.map((child) => (child.type === 'inlineCode' ? { type: 'text', value: '…' } : child)),
    });
    return text.includes('| ---') ? [] : [text.replaceAll(/\s+/g, ' ')];
  }
  return 'children' in node ? node.children.flatMap(textsOf) : [];
}
