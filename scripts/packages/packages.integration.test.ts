// Types of a package are rolled into one file, so two declarations of one name keep it from being built. Found here at once; that the packages
// work when they are installed is for the long tests.
import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { packages } from './packages.js';

test('the libraries can be packed', () => {
  using out = mkdtempDisposableSync(join(tmpdir(), 'invoq-packed-'));
  const names = packages.map(({ name }) => name);
  const { status, stderr } = spawnSync(process.execPath, ['dist/scripts/packages/main.js', ...names, '--out', out.path], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const archives = readdirSync(out.path, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tgz'));
  expect(archives).toHaveLength(names.length);
}, 120_000);
