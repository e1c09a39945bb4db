import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sectionsOf } from './sections.js';

const headingsOf = (markdown: string): readonly string[] =>
  sectionsOf(markdown).sections.map(({ depth, heading }) => `${depth} ${heading}`);

describe('headings', () => {
  test.each([
    ['# One', ['1 One']],
    ['   ### Three', ['3 Three']],
    ['###### Six', ['6 Six']],
    ['# Closed #', ['1 Closed']],
    ['Under\n=====', ['1 Under']],
    ['Under\n---', ['2 Under']],
    ['#', ['1 ']],
    ['# *Set* `code` [link](x)', ['1 Set code link']],
    ['# 标题', ['1 标题']],
    ['# A\n## B\n# C', ['1 A', '2 B', '1 C']],
  ])('of %j are %j', (markdown, headings) => expect(headingsOf(markdown)).toEqual(headings));

  test.each([
    '####### seven',
    '#no space',
    '    # indented code',
    '```\n# fenced\n```',
    '> # quoted',
    '- # in a list',
    '\\# escaped',
    '---',
    '',
  ])('are not in %j', (markdown) => expect(headingsOf(markdown)).toEqual([]));

  test('of front matter are none', () => {
    expect(headingsOf('---\ntitle: x\n---\n# Real')).toEqual(['1 Real']);
  });
});

test('a path names the headings above, and only those of smaller depth', () => {
  const { sections } = sectionsOf('# A\n### Deep\n## B\n### C\n# D\n');
  expect(sections.map(({ path }) => path.join(' / '))).toEqual(['A', 'A / Deep', 'A / B', 'A / B / C', 'D']);
});

test('what stands before the first heading is the preamble', () => {
  expect(sectionsOf('intro\n\n# A\nbody')).toMatchObject({ preamble: 'intro\n\n', sections: [{ text: '# A\nbody' }] });
  expect(sectionsOf('no heading')).toEqual({ preamble: 'no heading', sections: [] });
  expect(sectionsOf('# A').preamble).toBe('');
});

const line = fc.constantFrom('# A', '## B', '### C', 'Under', '===', '---', 'text', '', '```', '> # q', '- # l', '    code', '#');

test('preamble and sections together are the text, to the byte', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
      const markdown = lines.join(end);
      const { preamble, sections } = sectionsOf(markdown);
      expect(preamble + sections.map(({ text }) => text).join('')).toBe(markdown);
    }),
  );
});

test('a path ends with its own heading and grows by at most one from the section before', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      let before = 0;
      for (const { heading, path, depth } of sectionsOf(lines.join('\n')).sections) {
        expect(path.at(-1)).toBe(heading);
        expect(path.length).toBeLessThanOrEqual(Math.min(depth, before + 1));
        before = path.length;
      }
    }),
  );
});
