import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { UnreadableDocument } from '../document.js';
import { sourcesOfFile } from './files.js';
import type { ImportSource } from './import-documents.js';

const folder = mkdtempSync(join(tmpdir(), 'invoq-import-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(path: string, text: string): string {
  const whole = join(folder, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

async function sources(path: string, options: { base?: string; repository?: string } = {}): Promise<readonly ImportSource[]> {
  const all: ImportSource[] = [];
  for await (const source of sourcesOfFile(path, { base: folder, ...options })) all.push(source);
  return all;
}

describe('a file', () => {
  test('is one document, called by its path from the base', async () => {
    const [source] = await sources(file('sub/睡眠.md', '# 睡眠\n\n正文'));
    expect(source?.path).toBe('sub/睡眠.md');
    expect(await source?.read()).toMatchObject({ path: 'sub/睡眠.md', title: '睡眠' });
  });

  test('within the repository has its path in it, unless it names a place itself', async () => {
    const plain = await sources(file('docs/a.md', 'a'), { repository: folder });
    expect(await plain[0]?.read()).toMatchObject({ repoPath: 'docs/a.md' });
    const named = await sources(file('docs/b.md', '---\nrepo_path: other/b.md\n---\nb'), { repository: folder });
    expect(await named[0]?.read()).toMatchObject({ repoPath: 'other/b.md' });
    const linked = await sources(file('docs/c.md', '---\nsource_url: https://example.com\n---\nc'), { repository: folder });
    expect((await linked[0]?.read())?.repoPath).toBeUndefined();
  });

  test('outside of the repository has no path in it', async () => {
    const [source] = await sources(file('docs/d.md', 'd'), { repository: join(folder, 'elsewhere') });
    expect((await source?.read())?.repoPath).toBeUndefined();
  });

  test('is read when it is its turn, not before', async () => {
    const path = file('late.md', 'first');
    const [source] = await sources(path);
    writeFileSync(path, 'second');
    expect((await source?.read())?.content).toBe('second');
    rmSync(path);
    await expect(source?.read()).rejects.toThrow('ENOENT');
  });

  test('that is too large is refused without being read', async () => {
    const path = file('large.txt', '');
    truncateSync(path, 20 * 1_048_576 + 1);
    await expect((await sources(path))[0]?.read()).rejects.toThrow(UnreadableDocument);
  });
});

describe('a JSONL file', () => {
  test('is a document for each line that says something, called by its place', async () => {
    const path = file('many.jsonl', '{"text":"one"}\n\n  \n{"id":"two","text":"2"}\r\nbroken\n{"text":"last"}');
    const all = await sources(path);
    expect(all.map((source) => source.path)).toEqual(['many.jsonl:1', 'many.jsonl:4', 'many.jsonl:5', 'many.jsonl:6']);
    expect(await all[0]?.read()).toMatchObject({ path: 'many.jsonl:1', content: 'one' });
    expect(await all[1]?.read()).toMatchObject({ path: 'two' });
    expect(() => all[2]?.read()).toThrow(UnreadableDocument);
  });

  test('begins with a byte order mark, as Windows writes it, and its first line is read', async () => {
    const [first] = await sources(file('bom.jsonl', '\ufeff{"id":"a","text":"one"}\n'));
    expect(await first?.read()).toMatchObject({ path: 'a', content: 'one' });
  });

  test('of nothing is no document', async () => {
    expect(await sources(file('none.ndjson', '\n\n'))).toEqual([]);
  });
});
