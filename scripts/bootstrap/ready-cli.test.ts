import { mkdirSync, mkdtempDisposableSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
// @ts-expect-error -- plain JavaScript, which runs before anything is built
import { isCliReady } from './ready-cli.mjs';

const files = ['libs/contracts/src/index.ts', 'apps/cli/src/main.ts', 'package-lock.json'];
const made = ['dist/apps/cli/src/run-cli.js', 'dist/.stamp', 'node_modules/.package-lock.json'];

/** Whether the command line of a project that was built is ready after this change of it. */
function readyAfter(change: (at: (file: string) => string) => void): unknown {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-ready-'));
  const at = (file: string): string => join(folder.path, file);
  for (const file of [...files, ...made]) {
    mkdirSync(dirname(at(file)), { recursive: true });
    writeFileSync(at(file), '');
  }
  for (const path of [...files, 'libs', 'libs/contracts', 'libs/contracts/src', 'apps/cli/src']) utimesSync(at(path), 1, 1);
  change(at);
  return isCliReady(folder.path);
}

test('what was built is run as long as nothing has changed', () => {
  expect(readyAfter(() => undefined)).toBe(true);
});

test.each(files)('a change of %s is built first', (file) => {
  expect(readyAfter((at) => utimesSync(at(file), 1e10, 1e10))).toBe(false);
});

test.each(made)('without %s the clone is built first', (file) => {
  expect(readyAfter((at) => rmSync(at(file)))).toBe(false);
});

test('a deleted source is noticed', () => {
  expect(
    readyAfter((at) => {
      rmSync(at('libs/contracts/src/index.ts'));
      utimesSync(at('libs/contracts/src'), 1e10, 1e10);
    }),
  ).toBe(false);
});

test('what tests write beside the sources of a library changes nothing', () => {
  expect(readyAfter((at) => mkdirSync(at('libs/contracts/snapshots')))).toBe(true);
});
