import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UnreadableDocument, type NewSection } from '../document.js';
import { readMarkdown } from './markdown.js';

const sections = (text: string): readonly NewSection[] => readMarkdown('page.md', text).sections;
const outline = (text: string) => sections(text).map(({ anchor, title, headingPath }) => [anchor, [...headingPath, title].join(' > ')]);

describe('the sections of a page', () => {
  test.each<[string, string, readonly (readonly [string | null, string])[]]>([
    [
      'one for each heading',
      '# A\n\na\n\n## B\n\nb',
      [
        ['a', 'A'],
        ['b', 'A > B'],
      ],
    ],
    [
      'under headings that skip a level',
      '# A\n\na\n\n### C\n\nc\n\n## B\n\nb',
      [
        ['a', 'A'],
        ['c', 'A > C'],
        ['b', 'A > B'],
      ],
    ],
    [
      'under a heading that comes before a higher one',
      '### C\n\nc\n\n# A\n\na',
      [
        ['c', 'C'],
        ['a', 'A'],
      ],
    ],
    [
      'written with underlines',
      'A\n===\n\na\n\nB\n---\n\nb',
      [
        ['a', 'A'],
        ['b', 'A > B'],
      ],
    ],
    ['with closing marks', '## A ##\n\na', [['a', 'A']]],
    ['with an anchor of their own', '## 睡眠 {#sleep}\n\na', [['sleep', '睡眠']]],
    ['with an anchor that is none, since it has a space', '## A {#a b}\n\na', [['a-a-b', 'A {#a b}']]],
    ['with code and links in their titles', '## The `x` of [y](z)\n\na', [['the-x-of-y', 'The x of y']]],
    [
      'before the first heading',
      'intro\n\n# A\n\na',
      [
        [null, 'A'],
        ['a', 'A'],
      ],
    ],
    ['without any heading', 'only text', [[null, 'page']]],
    [
      'of equal titles',
      '## A\n\n1\n\n## A\n\n2\n\n## A\n\n3',
      [
        ['a', 'A'],
        ['a-1', 'A'],
        ['a-2', 'A'],
      ],
    ],
    ['without text are left out', '# A\n\n## B\n\nb', [['b', 'A > B']]],
    [
      'that are all that is said are kept',
      '# A\n\n## B\n\n## C\n\nc\n\n# D',
      [
        ['b', 'A > B'],
        ['c', 'A > C'],
        ['d', 'D'],
      ],
    ],
    ['without a title have an anchor too', '##\n\na', [['section', '']]],
    ['whose title is punctuation', '## ？！\n\na', [['section', '？！']]],
  ])('%s', (...[, text, expected]) => {
    expect(outline(text)).toEqual(expected);
  });

  test('keep their Markdown as it was written', () => {
    const body = '| a | b |\n| - | - |\n| 1 | 2 |\n\n- [x] done\n\n```ts\n# no heading\n```\n\n<b>html</b>';
    expect(sections(`## A\n\n${body}`)).toEqual([expect.objectContaining({ content: body })]);
  });

  test('are not begun by what looks like a heading in code, in a quotation or in HTML', () => {
    for (const text of ['    # code', '```\n# code\n```', '> # quoted', '<!-- # comment -->', '\\# escaped'])
      expect(outline(`## A\n\n${text}`)).toEqual([['a', 'A']]);
  });
});

describe('the title of a page', () => {
  test.each([
    ['that of its front matter', '---\ntitle: T\n---\n# A\n\na', 'T'],
    ['its first heading', '# A\n\na', 'A'],
    ['its name, where the first heading is none of the page', '## A\n\na', 'page'],
    ['its name, where there is no heading', 'a', 'page'],
  ])('is %s', (...[, text, title]) => {
    expect(readMarkdown('folder/page.md', text).title).toBe(title);
  });

  test('of a Chinese file is its name', () => {
    expect(readMarkdown('文档/睡眠.指南.md', '正文').title).toBe('睡眠.指南');
  });
});

describe('front matter', () => {
  test('is no part of the content', () => {
    const { content, tags } = readMarkdown('a.md', '---\ntags: a, b\n---\n\n# A\n\ntext');
    expect([content, tags]).toEqual(['# A\n\ntext', ['a', 'b']]);
  });

  test('stands at the very beginning: elsewhere it is a line and text', () => {
    expect(readMarkdown('a.md', 'text\n\n---\ntype: secret\n---\n').type).toBeUndefined();
  });

  test.each([
    ['---\ntype: secret\n---\nx', /front matter is wrong at type/],
    ['---\nupdated: yesterday\n---\nx', /wrong at updated: is no date/],
    // Postgres keeps dates of other years in another form, and answers could not say them.
    ['---\nupdated: "0000-12-31"\n---\nx', /wrong at updated: is no date/],
    ['---\nupdated: "+275760-09-13T00:00:00Z"\n---\nx', /wrong at updated: is no date/],
    ['---\nupdated: "-000001-01-01T00:00:00Z"\n---\nx', /wrong at updated: is no date/],
    ['---\ntitle: ""\n---\nx', /wrong at title/],
    ['---\n- a\n- b\n---\nx', /wrong at the top/],
    ['---\na: [\n---\nx', /no YAML/],
    ['---\na: *nowhere\n---\nx', /no YAML/],
  ])('%j is refused with the field', (text, reason) => {
    expect(() => readMarkdown('a.md', text)).toThrow(UnreadableDocument);
    expect(() => readMarkdown('a.md', text)).toThrow(reason);
  });

  test.each([
    ['title: 2026', { title: '2026' }],
    ['title: true', { title: 'true' }],
    ['tags: [1, two]', { tags: ['1', 'two'] }],
    ['tags: one', { tags: ['one'] }],
    ['tags: []', { tags: [] }],
    ['updated: 0001-01-01', { updated: new Date('0001-01-01') }],
    ['updated: "9999-12-31"', { updated: new Date('9999-12-31') }],
    ['updated: 2026-02-03', { updated: new Date('2026-02-03') }],
    ['updated: "2026-02-03T10:00:00+08:00"', { updated: new Date('2026-02-03T02:00:00Z') }],
    ['unknown: {deep: [1]}', { title: 'a' }],
    ['', { title: 'a' }],
  ])('%j is read', (yaml, facts) => {
    expect(readMarkdown('a.md', `---\n${yaml}\n---\ntext`)).toMatchObject(facts);
  });

  test('that grows by repeating itself does not take the process with it', () => {
    const lines = Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array.from({ length: 9 }, () => `*a${n}`).join(',')}]`);
    expect(() => readMarkdown('a.md', `---\na0: &a0 [x]\n${lines.join('\n')}\n---\nx`)).toThrow(UnreadableDocument);
  });
});

test('whatever a page holds, no word of its text is lost', () => {
  const line = fc.oneof(
    fc.stringMatching(/^[a-z]{4,8}$/),
    fc.stringMatching(/^#{1,6} [a-z]{4,8}$/),
    fc.constantFrom('```', '> quoted', '- item', '---', '| a |', '<div>', '    code', '睡眠很重要。'),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 15 }), (lines) => {
      const document = readMarkdown('a.md', `intro\n\n${lines.join('\n\n')}`);
      const found = document.sections.map(({ title, content, headingPath }) => [...headingPath, title, content].join('\n')).join('\n');
      for (const word of lines.filter((one) => /^[a-z]+$/.test(one))) expect(found).toContain(word);
    }),
  );
});
