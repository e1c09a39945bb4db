import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, describe, expect, test } from '@jest/globals';
import { UsageError } from '#lib/command-line';

import { readOptions as readOptionsIn } from './options.js';
import { formatBytes } from './progress-bar.js';

const folder = mkdtempSync(path.join(tmpdir(), 'profiles-import-'));
const file = path.join(folder, 'rows.NDJSON');
writeFileSync(file, '{}\n');
afterAll(() => rmSync(folder, { recursive: true }));

const readOptions = (args: readonly string[]) => readOptionsIn(args, folder);

describe('the command line', () => {
  test('names a file; the rest has defaults', () => {
    const defaults = { file, format: 'ndjson', fileBytes: 3, tenant: 'demo', dryRun: false, skipBad: false };
    expect(readOptions([file])).toEqual({ name: file, ...defaults });
    expect(readOptions(['--tenant', 'acme', file, '--dry-run', '--skip-bad'])).toMatchObject({
      tenant: 'acme',
      dryRun: true,
      skipBad: true,
    });
  });

  test('a relative name counts from the folder where the person stands', () => {
    expect(readOptions(['rows.NDJSON'])).toMatchObject({ name: 'rows.NDJSON', file });
  });

  test('help needs no file', () => {
    expect(readOptions(['--help'])).toBe('help');
  });

  test.each([
    [[], /Give the file/],
    [[file, file], /one file/],
    [['missing.csv'], /No such file/],
    [[`${folder}.csv`], /No such file/],
    [['rows.xlsx'], /must end in/],
    [[file, '--force'], /--force/],
    [[file, '--tenant', ''], /--tenant/],
    [[file, '--tenant'], /tenant/],
  ])('%j is refused', (args, message) => {
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(message);
  });

  test('a folder is no file', () => {
    const named = path.join(folder, 'folder.csv');
    mkdirSync(named);
    expect(() => readOptions([named])).toThrow(/Not a file/);
  });
});

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [51_547_979, '51.5 MB'],
  [3_200_000_000, '3.2 GB'],
])('%d bytes read as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
