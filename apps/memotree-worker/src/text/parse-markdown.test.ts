import { expect, test } from '@jest/globals';
import { maxUnderlines, parseMarkdown } from './parse-markdown.js';

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
