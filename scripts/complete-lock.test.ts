import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '#lib/command-line';

function complete(folder: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const script = join(import.meta.dirname, 'complete-lock.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, folder, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { status, output: stdout + stderr };
}

/** A folder with a lock of these packages. */
function folderWith(packages: object) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-lock-'));
  writeFileSync(join(folder.path, 'package-lock.json'), JSON.stringify({ packages }));
  return folder;
}

const lockIn = (folder: string): unknown => JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
const whole = { version: '1.0.0', integrity: 'sha512-AA==' };

test.each(['.', 'apps/console/packages'])('every package of %s is checked against a hash, on every platform', (folder) => {
  expect(complete(join(root, folder), ['--check'])).toEqual({ status: 0, output: expect.stringContaining('is complete') });
});

test.each([
  ['no hash', { 'node_modules/a': { version: '1.0.0' } }, 'node_modules/a 1.0.0 has no integrity'],
  ['the address of a registry', { 'node_modules/a': { ...whole, resolved: 'https://r.test/a' } }, 'names the registry https://r.test/a'],
  [
    'no entry for another platform',
    { 'node_modules/a': { ...whole, optionalDependencies: { b: '1.0.0' } } },
    'b 1.0.0, which node_modules/a may need, has no entry',
  ],
  [
    'the entry of somebody else',
    { 'node_modules/a': { ...whole, optionalDependencies: { b: '1.0.0' } }, 'node_modules/c/node_modules/b': whole },
    'b 1.0.0, which node_modules/a may need, has no entry',
  ],
])('a lock with %s is refused', (_what, packages, message) => {
  using folder = folderWith({ '': {}, ...packages });
  expect(complete(folder.path, ['--check'])).toEqual({ status: 1, output: expect.stringContaining(message) });
  expect(lockIn(folder.path)).toEqual({ packages: { '': {}, ...packages } });
});

test('an optional package may be locked inside or outside of its parent', () => {
  using folder = folderWith({
    'node_modules/a': { ...whole, optionalDependencies: { inner: '1.0.0', outer: '1.0.0' } },
    'node_modules/a/node_modules/inner': whole,
    'node_modules/outer': whole,
  });
  expect(complete(folder.path, ['--check']).status).toBe(0);
});

test('npm is asked anew for packages without a hash, and for no others', () => {
  using folder = folderWith({ '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': whole });
  // An npm that notes what it is called with, and what it finds, and then adds the package as the registry has it.
  const npm = join(folder.path, 'npm.js');
  writeFileSync(
    npm,
    `const fs = require('node:fs');
     const lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
     fs.writeFileSync('called.json', JSON.stringify({ args: process.argv.slice(2, 4), found: Object.keys(lock.packages) }));
     lock.packages['node_modules/a'] = ${JSON.stringify(whole)};
     fs.writeFileSync('package-lock.json', JSON.stringify(lock));`,
  );
  expect(complete(folder.path, [], { npm_execpath: npm }).status).toBe(0);
  expect(JSON.parse(readFileSync(join(folder.path, 'called.json'), 'utf8'))).toEqual({
    args: ['install', '--package-lock-only'],
    found: ['', 'node_modules/b'],
  });
  // A lock that is complete is left alone.
  writeFileSync(npm, 'process.exit(1)');
  expect(complete(folder.path, [], { npm_execpath: npm }).status).toBe(0);
});
