import { mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inPortions, readMarkdownFolder } from './markdown-folder.js';

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
    refused: [],
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

test('portions keep the order and the limits, and none could take the first file of the next', () => {
  const file = fc.record({ path: fc.string(), text: fc.string({ maxLength: 80 }) });
  fc.assert(
    fc.property(fc.array(file), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 4 }), (files, bytes, count) => {
      const portions = inPortions(files, { bytes, files: count });
      const sizeOf = (portion: readonly object[]) => portion.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
      expect(portions.flat()).toEqual(files);
      for (const [index, portion] of portions.entries()) {
        expect(portion.length).toBeGreaterThan(0);
        expect(portion.length).toBeLessThanOrEqual(count);
        if (portion.length > 1) expect(sizeOf(portion)).toBeLessThanOrEqual(bytes);
        const next = portions[index + 1]?.[0];
        if (next) expect(portion.length === count || sizeOf([...portion, next]) > bytes).toBe(true);
      }
    }),
  );
});
