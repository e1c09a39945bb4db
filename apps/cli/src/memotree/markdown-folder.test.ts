import { mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { memotreeLimits } from '#lib/contracts';
import { inPortions, inTreeOrder, readMarkdownFolder } from './markdown-folder.js';

function folderOf(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-markdown-'));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, file)), { recursive: true });
    writeFileSync(join(folder.path, file), content);
  }
  return folder;
}

test('Markdown at any depth is read; other files are counted by their ending', () => {
  using folder = folderOf({ 'a.md': '# 甲', 'b/c.MD': 'c', 'b/d.png': 'x', 'e.png': 'x', Makefile: 'x' });
  symlinkSync(join(folder.path, 'a.md'), join(folder.path, 'link.md'));
  expect(readMarkdownFolder(folder.path)).toEqual({
    files: [
      { path: 'a.md', text: '# 甲' },
      { path: 'b/c.MD', text: 'c' },
    ],
    refused: ['link.md: is a link; what it leads to is not read'],
    others: new Map([
      ['no ending', 1],
      ['.png', 2],
    ]),
  });
});

test('folders of other programs are left out', () => {
  using folder = folderOf({ '.obsidian/x.md': 'x', 'a/.git/x.md': 'x', 'node_modules/y/x.md': 'x', 'a/b.md': 'b' });
  expect(readMarkdownFolder(folder.path)).toMatchObject({ files: [{ path: 'a/b.md' }], others: new Map() });
});

test('what cannot be imported is named with its reason; the longest text that may come in does', () => {
  using folder = folderOf({
    'latin1.md': Buffer.from('caf\xe9', 'latin1'),
    'nul.md': 'a\0b',
    'long.md': 'x'.repeat(1_000_001),
    'longest.md': 'x'.repeat(1_000_000),
  });
  const { files, refused } = readMarkdownFolder(folder.path);
  expect(files.map(({ path }) => path)).toEqual(['longest.md']);
  expect(refused).toEqual([
    'latin1.md: is not UTF-8',
    'long.md: has 1000001 characters; 1000000 are allowed',
    'nul.md: contains U+0000, so it is no text',
  ]);
});

test('files are in the order of the tree: a page, then its folder; siblings by the order that they state', () => {
  const page = (order?: number) => (order === undefined ? 'x' : `---\nid: a\norder: ${order}\n---\nx`);
  const files = {
    'a b.md': page(2),
    'a.md': page(3),
    'a/z.md': page(1),
    'a/y.md': page(2),
    'a/y/q.md': page(),
    'b.md': page(1),
    'c.md': page(),
    'd/e.md': page(),
  };
  const given = Object.entries(files).map(([path, text]) => ({ path, text }));
  const expected = ['b.md', 'a b.md', 'a.md', 'a/z.md', 'a/y.md', 'a/y/q.md', 'c.md', 'd/e.md'];
  fc.assert(
    fc.property(fc.shuffledSubarray(given, { minLength: given.length }), (shuffled) => {
      expect(inTreeOrder(shuffled).map(({ path }) => path)).toEqual(expected);
    }),
  );
});

test('portions keep the order and the limits, begin with the pages above, and none could take the first file of the next', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join('/')}.md`);
  const file = fc.record({ path, text: fc.string({ maxLength: 40 }) });
  const some = fc.uniqueArray(file, { selector: (one) => one.path, maxLength: 30 }).map(inTreeOrder);
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 4 }), (files, bytes, count) => {
      const portions = inPortions(files, { bytes, files: count });
      const sizeOf = (portion: readonly object[]) => portion.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
      const seen = new Set<object>();
      const fresh = portions.map((portion) => portion.filter((one) => !seen.has(one) && seen.add(one)));
      expect(fresh.flat()).toEqual(files);
      for (const [index, portion] of portions.entries()) {
        const own = fresh[index] ?? [];
        expect(own.length).toBeGreaterThan(0);
        expect(own.length).toBeLessThanOrEqual(count);
        if (own.length > 1) expect(sizeOf(portion)).toBeLessThanOrEqual(bytes);
        const next = fresh[index + 1]?.[0];
        if (next) expect(own.length === count || sizeOf([...portion, next]) > bytes).toBe(true);
        const above = portion.filter((one) => !own.includes(one));
        for (const one of above) expect(own[0]?.path.startsWith(one.path.replace('.md', '/'))).toBe(true);
      }
    }),
  );
});

test('a link that leads around, and a file that is too deep, cost themselves alone', () => {
  const deep = `${'d/'.repeat(memotreeLimits.depth)}x.md`;
  using folder = folderOf({ 'a.md': 'a', [deep]: 'deep', [deep.slice(2)]: 'less' });
  symlinkSync('..', join(folder.path, 'loop'));
  const { files, refused } = readMarkdownFolder(folder.path);
  expect(files.map(({ path }) => path)).toEqual(['a.md', deep.slice(2)]);
  expect(refused).toEqual(['loop: is a link; what it leads to is not read', `${deep}: is 21 steps deep; 20 are allowed`]);
});
