import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { UsageError } from '#lib/command-line';
import { everyTenant } from '#lib/knowledge';
import { findFiles } from './find-files.js';
import { summaryOf, targetOf } from './import-knowledge.js';

const files = ['a.md', 'b.HTML', 'notes/c.txt', 'notes/deep/d.pdf', 'notes/e.jsonl', 'notes/f.png', 'folder.md/g.md', 'other/h.ndjson'];
const unwanted = ['node_modules/x/README.md', 'notes/node_modules/y/index.html', '.git/z.md', 'notes/.obsidian/z.md'];

function folderOf() {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-find-'));
  for (const file of [...files, ...unwanted]) {
    mkdirSync(dirname(join(folder.path, file)), { recursive: true });
    writeFileSync(join(folder.path, file), 'x');
  }
  return folder;
}

test.each<[string, readonly string[], readonly string[], string]>([
  ['of a folder every readable file, at any depth', ['.'], files.filter((file) => file !== 'notes/f.png'), '.'],
  ['a folder alone is what paths are relative to', ['notes'], ['notes/c.txt', 'notes/deep/d.pdf', 'notes/e.jsonl'], 'notes'],
  ['the packages of a folder are read where they are named', ['node_modules'], ['node_modules/x/README.md'], 'node_modules'],
  ['a pattern finds no packages', ['**/*.md'], ['a.md', 'folder.md/g.md'], '.'],
  ['a named file is taken whatever it is', ['notes/f.png'], ['notes/f.png'], 'notes'],
  ['a pattern is taken as it is written', ['notes/*'], ['notes/c.txt', 'notes/e.jsonl', 'notes/f.png'], 'notes'],
  ['a file that is found twice is taken once', ['a.md', '*.md', 'a.md'], ['a.md'], '.'],
  [
    'several places are relative to the folder that they share',
    ['notes/deep', 'notes/c.txt'],
    ['notes/c.txt', 'notes/deep/d.pdf'],
    'notes',
  ],
  ['places that share little are relative to the root of both', ['notes/deep', 'other'], ['notes/deep/d.pdf', 'other/h.ndjson'], '.'],
])('%s', (...[, names, expected, base]) => {
  using folder = folderOf();
  expect(findFiles(names, folder.path)).toEqual({
    files: expected.map((file) => join(folder.path, file)).toSorted(),
    base: join(folder.path, base),
  });
});

test('neither a link that leads around nor a pipe is read', () => {
  using folder = folderOf();
  symlinkSync('..', join(folder.path, 'notes/loop'));
  execFileSync('mkfifo', [join(folder.path, 'notes/pipe.md')]);
  const found = ['notes/c.txt', 'notes/deep/d.pdf', 'notes/e.jsonl'].map((file) => join(folder.path, file));
  expect(findFiles(['notes'], folder.path).files).toEqual(found);
  expect(() => findFiles(['notes/*.md'], folder.path)).toThrow(UsageError);
});

test.each(['missing.md', 'nothing/*.md'])('%s, where nothing is, is wrong usage that names it', (name) => {
  using folder = folderOf();
  expect(() => findFiles(['a.md', name], folder.path)).toThrow(UsageError);
  expect(() => findFiles(['a.md', name], folder.path)).toThrow(`No file matches: ${name}`);
});

test.each([
  [{ collection: 'documents' }, { collection: 'documents', tenant: null, prune: false }],
  [
    { collection: 'a', tenant: 'acme', prune: true },
    { collection: 'a', tenant: 'acme', prune: true },
  ],
  [
    { collection: '0'.repeat(63), shared: true },
    { collection: '0'.repeat(63), tenant: everyTenant, prune: false },
  ],
  [
    { collection: 'a', tenant: 'x'.repeat(128) },
    { collection: 'a', tenant: 'x'.repeat(128), prune: false },
  ],
])('%j is a target', (options, target) => {
  expect(targetOf(options)).toEqual(target);
});

test.each([
  [{}, /^--collection is missing$/],
  [{ collection: '' }, /^--collection is missing$/],
  [{ collection: '-a' }, /--collection/],
  [{ collection: 'Health' }, /--collection/],
  [{ collection: '0'.repeat(64) }, /--collection/],
  [{ collection: 'a', tenant: '' }, /--tenant/],
  [{ collection: 'a', tenant: 'x'.repeat(129) }, /--tenant/],
  [{ collection: 'a', tenant: 'acme', shared: true }, /--tenant or --shared, not both/],
])('%j is none, and the message names the option', (options, message) => {
  expect(() => targetOf(options)).toThrow(message);
});

test('the summary counts, and names what was skipped and why', () => {
  const report = {
    added: 1,
    changed: 2,
    unchanged: 3,
    removed: 4,
    sectionsWritten: 5,
    sectionsKept: 6,
    sectionsRemoved: 7,
    skipped: [{ path: 'broken.pdf', reason: 'it is broken' }],
    notes: [{ path: 'a.md', note: 'has no title' }],
  };
  expect(summaryOf(report, { collection: 'c', tenant: 'acme', time: '1.0 s' })).toBe(
    `Collection c of tenant acme, in 1.0 s: 1 documents added, 2 changed, 3 unchanged, 4 removed.
Sections: 5 written, 6 kept, 7 removed.
  note     a.md: has no title
  skipped  broken.pdf: it is broken`,
  );
  const quiet = { ...report, skipped: [], notes: [] };
  expect(summaryOf(quiet, { collection: 'c', tenant: everyTenant, time: '1.0 s' })).toMatch(
    /^Collection c of every tenant.*\n.*removed\.$/,
  );
  expect(summaryOf(quiet, { collection: 'c', tenant: null, time: '1.0 s' })).toMatch(/^Collection c of the tenant of your key, in /);
});
