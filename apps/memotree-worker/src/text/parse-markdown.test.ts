import { expect, test } from '@jest/globals';
import { maxNesting, maxUnderlines, parseMarkdown } from './parse-markdown.js';

const typesOf = (markdown: string): readonly string[] => [...new Set(parseMarkdown(markdown).children.map(({ type }) => type))];

test('underlined headings are read up to the limit, and as text beyond it', () => {
  const underlined = (count: number): string => 'words\n===\n\n'.repeat(count);
  expect(typesOf(underlined(maxUnderlines))).toEqual(['heading']);
  expect(typesOf(underlined(maxUnderlines + 1))).toEqual(['paragraph']);
});

test('headings with # are read in any number', () => {
  expect(parseMarkdown('# words\n'.repeat(5 * maxUnderlines)).children).toHaveLength(5 * maxUnderlines);
  expect(typesOf(`# words\n\n${'---\n\n'.repeat(2 * maxUnderlines)}`)).toEqual(['heading', 'thematicBreak']);
});

test('front matter is no heading and no text', () => {
  expect(typesOf('---\ntitle: x\n---\n\n# words')).toEqual(['yaml', 'heading']);
});

test.each(['words\n===', 'words\n---', 'words\n  =  ', 'words\n-'])('%j is an underlined heading', (markdown) => {
  expect(typesOf(markdown)).toEqual(['heading']);
});

test.each(['words\n    ===', 'words\n= =', '- words\n===', '> words\n==='])('%j is none', (markdown) => {
  expect(typesOf(markdown)).not.toContain('heading');
});

test.each(['- ', '> ', '>', '1. ', '* ', '+ '])(
  'lists and quotations of %j are read up to the depth that is allowed, and refused beyond it',
  (mark) => {
    expect(() => parseMarkdown(`${mark.repeat(maxNesting)}a`)).not.toThrow();
    expect(() => parseMarkdown(`${mark.repeat(maxNesting + 1)}a`)).toThrow(`${maxNesting + 1} deep; at most ${maxNesting} are read`);
  },
);

test('depth by indentation counts too, and a list that ends does not', () => {
  const nested = (depth: number): string => Array.from({ length: depth }, (_, n) => `${' '.repeat(2 * n)}- a\n`).join('');
  expect(() => parseMarkdown(nested(maxNesting))).not.toThrow();
  expect(() => parseMarkdown(nested(maxNesting + 1))).toThrow(/deep/);
  expect(() => parseMarkdown(nested(10).repeat(20))).not.toThrow();
});
