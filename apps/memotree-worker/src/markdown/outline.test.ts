import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { memotreeLimits as limits } from '#lib/contracts';
import { heightOf, outlineOf, walkOutline, type OutlineNode } from './outline.js';

/** Titles as a nested list, contents after a colon. */
function shown(nodes: readonly OutlineNode[], indent = ''): string {
  return nodes
    .map(({ title, content, children }) => `${indent}${title}${content ? `: ${content}` : ''}\n${shown(children, `${indent}  `)}`)
    .join('');
}
const outline = (files: Readonly<Record<string, string>>, headings = true): readonly OutlineNode[] =>
  outlineOf(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    headings,
  );

describe('files', () => {
  test('become nodes in the order of their paths, folders in between', () => {
    expect(shown(outline({ 'b.md': 'B', 'a/y.md': 'Y', 'a/x/z.md': 'Z' }))).toBe('a\n  x\n    z: Z\n  y: Y\nb: B\n');
  });

  test('of a folder’s name are the page of the folder', () => {
    expect(shown(outline({ 'a.md': 'page', 'a/x.md': 'X' }))).toBe('a: page\n  x: X\n');
    expect(shown(outline({ 'A.MD': 'page' }))).toBe('A: page\n');
  });

  test('of the same path are refused', () => {
    expect(() =>
      outlineOf(
        [
          { path: 'a.md', text: '' },
          { path: 'a.MD', text: '' },
        ],
        true,
      ),
    ).toThrow("There are two files 'a.md'");
  });

  test('stand in the order that their pages name, others after them', () => {
    const files = { 'a.md': 'plain', 'b.md': '---\norder: 2\n---\n', 'c.md': '---\norder: 1\n---\n', 'd.md': 'plain' };
    expect(outline(files).map(({ title }) => title)).toEqual(['c', 'b', 'a', 'd']);
  });
});

describe('headings', () => {
  test('become nodes below their page', () => {
    expect(shown(outline({ 'p.md': 'intro\n\n## A\n\na\n\n### B\n\nb\n\n## C\n' }))).toBe('p: intro\n  A: a\n    B: b\n  C\n');
  });

  test('of the first depth alone before all text is the title of the page', () => {
    expect(shown(outline({ 'p.md': '# Title\n\ntext\n\n## A\n' }))).toBe('Title: text\n  A\n');
    expect(shown(outline({ 'p.md': '# One\n\n# Two\n' }))).toBe('p\n  One\n  Two\n');
    expect(shown(outline({ 'p.md': 'before\n\n# One\n' }))).toBe('p: before\n  One\n');
    expect(shown(outline({ 'p.md': '## Second depth\n' }))).toBe('p\n  Second depth\n');
    expect(shown(outline({ 'p.md': '#\n\ntext' }))).toBe('p: text\n');
  });

  test('that are underlined lose both of their lines', () => {
    expect(shown(outline({ 'p.md': 'Title\n=====\ntext\n\nA\n---\na' }))).toBe('Title: text\n  A: a\n');
  });

  test('that skip a depth stand below the one before', () => {
    expect(shown(outline({ 'p.md': '## A\n#### Deep\n### Less\n## B' }))).toBe('p\n  A\n    Deep\n    Less\n  B\n');
  });

  test('come before the files of the page’s folder', () => {
    expect(shown(outline({ 'p.md': '## Heading', 'p/file.md': '' }))).toBe('p\n  Heading\n  file\n');
  });

  test('stay text where they are not wanted, and in a page that was exported', () => {
    expect(shown(outline({ 'p.md': '# T\n\n## A' }, false))).toBe('p: # T\n\n## A\n');
    expect(shown(outline({ 'p.md': '---\nid: 0123456789ab\n---\n# T\n\n## A' }))).toBe('p: # T\n\n## A\n');
  });
});

describe('a page', () => {
  test('has the title that its front matter names before any other', () => {
    expect(outline({ 'p.md': '---\ntitle: Named\n---\n# Heading\n' })[0]).toMatchObject({ title: 'Named', source: 'p' });
    expect(outline({ 'p.md': '---\ntitle: Named\nid: 0123456789ab\n---\nx' })[0]).toMatchObject({
      title: 'Named',
      own: { id: '0123456789ab' },
    });
  });

  test('keeps front matter of others in its content, and its aliases', () => {
    expect(outline({ 'p.md': '---\naliases: [x]\n---\n# T\n\ntext' })[0]).toMatchObject({
      title: 'T',
      aliases: ['x'],
      content: '---\naliases:\n  - x\n---\n\ntext',
    });
  });

  test('has sources by which links find its parts', () => {
    const sources = [...walkOutline(outline({ 'a/p.md': '# T\n\n## A\n\n### B' }))].map(({ source }) => source);
    expect(sources).toEqual(['a', 'a/p', 'a/p#A', 'a/p#A#B']);
  });

  test('with a title that is too long is cut, in whole characters', () => {
    const [page] = outline({ [`${'😀'.repeat(limits.titleChars + 1)}.md`]: '' });
    expect(Array.from(page?.title ?? '')).toHaveLength(limits.titleChars);
    expect(page?.title.endsWith('…')).toBe(true);
    expect(outline({ [`${'x'.repeat(limits.titleChars)}.md`]: '' })[0]?.title).toBe('x'.repeat(limits.titleChars));
  });
});

test('the height is the longest way down', () => {
  expect([heightOf([]), heightOf(outline({ 'a.md': '' })), heightOf(outline({ 'a/b/c.md': '## H', 'd.md': '' }))]).toEqual([0, 1, 4]);
});

test('no word of a page is lost, however its headings stand', () => {
  const part = fc.record({ depth: fc.integer({ min: 1, max: 6 }), n: fc.nat(99) });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
      const text = `start\n\n${parts.map(({ depth, n }) => `${'#'.repeat(depth)} h${n}\n\nbody${n}\n\n`).join('')}`;
      const nodes = [...walkOutline(outline({ 'p.md': text }))];
      expect(nodes.slice(1).map(({ title }) => title)).toEqual(parts.map(({ n }) => `h${n}`));
      expect(nodes.map(({ content }) => content)).toEqual(['start', ...parts.map(({ n }) => `body${n}`)]);
    }),
  );
});
