// Comments name only files that exist.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { allPaths, filesInComments, pathExists } from './repository.js';

const paths = allPaths();
const sources = paths.filter((path) => /\.(ts|mjs|cjs|prisma|ya?ml)$/.test(path) || path === '.env.example' || path === 'Dockerfile');

test('every file that a comment names exists', () => {
  const missing = sources
    .filter((path) => !path.startsWith('test/documents/'))
    .flatMap((path) => filesInComments(readFileSync(path, 'utf8')).map((name) => `${path}: ${name}`))
    .filter((line) => !pathExists(line.split(': ')[1] ?? '', paths));
  expect(sources.length).toBeGreaterThan(500);
  expect(missing).toEqual([]);
});
