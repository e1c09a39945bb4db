import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from '@jest/globals';
import { pagesOf, starterCollections, starterKnowledgeDigest } from './starter-pages.js';

test.each(starterCollections)('the collection %s has pages, sorted, all inside of its folder', (collection) => {
  const { base, files } = pagesOf(collection);
  expect(files.length).toBeGreaterThan(2);
  expect(files).toEqual(files.toSorted());
  for (const file of files) expect([existsSync(file), file.startsWith(base)]).toEqual([true, true]);
  expect(dirname(base)).toMatch(/knowledge$/);
});

test('the digest is that of the pages as they are', () => {
  const digest = starterKnowledgeDigest();
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(starterKnowledgeDigest()).toBe(digest);
});

test('every page is UTF-8 text with a heading', () => {
  for (const file of starterCollections.flatMap((collection) => pagesOf(collection).files))
    expect({ file, text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) }).toEqual({
      file,
      text: expect.stringMatching(/^#+ /m),
    });
});
