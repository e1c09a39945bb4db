// Texts that are written to make a parser slow. A regular expression that backtracks would need minutes for these, not seconds.
import { expect, test } from '@jest/globals';
import { readPage } from '../markdown/front-matter.js';
import { linksIn, resolveLinks } from '../markdown/wiki-links.js';
import { linkedIds } from './linked-ids.js';
import { sectionsOf } from './sections.js';
import { mergeText } from './update-text.js';

const chars = 100_000;
const fill = (unit: string): string => unit.repeat(Math.ceil(chars / unit.length));
const boundMs = 5_000;

function expectQuick(work: () => unknown): void {
  const start = performance.now();
  work();
  expect(performance.now() - start).toBeLessThan(boundMs);
}

test.each(['[[', '[[a', '[[a|', '[[#', '![[', '[x](', '[x](a.md#', '.md#', '](', ']]', '|'])(
  'links in %j without end are read quickly',
  (unit) => {
    const text = fill(unit);
    expectQuick(() => resolveLinks(text, linksIn(text), () => undefined));
    expectQuick(() => linkedIds(text));
  },
);

test.each(['---\n', '---\n---\n', 'a: b\n', '---\na: b\n', ' \t', '\r\n'])('front matter in %j without end is read quickly', (unit) => {
  expectQuick(() => readPage(`---\n${fill(unit)}`));
});

test.each(['# \n', '=\n', '-\n', '#', ' ', '\n'])('headings in %j without end are read quickly', (unit) => {
  expectQuick(() => sectionsOf(fill(unit).slice(0, 10_000)));
});

test('a merge of two texts with many headings is quick', () => {
  const many = (word: string): string => Array.from({ length: 300 }, (_, n) => `## ${word} ${n}\n\ntext\n\n`).join('');
  expectQuick(() => mergeText(many('old'), many('new')));
});

test.each([' ', '\n', ' \n', 'a ', '\t'])('a replaced section that ends in %j without end is quick', (unit) => {
  expectQuick(() => mergeText(`# a\n${fill(unit).slice(0, 20_000)}b`, '# a\nnew'));
});

test('an address with many file endings is read once', () => {
  expectQuick(() => linksIn(`[a](${fill('.md#')}`));
  expectQuick(() => linksIn(`[a](${fill('.md#')})`));
});
