import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, describe, expect, test } from '@jest/globals';

import { findDatabaseUrl } from './database-url.js';
import { readOptions as readOptionsIn, UsageError } from './options.js';
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

describe('the database', () => {
  test('is the one of the environment first', () => {
    expect(findDatabaseUrl({ DATABASE_URL: 'postgres://a/b', INVOQ_DATA_DIR: folder })).toBe('postgres://a/b');
  });

  test('is else the one that the development setup wrote', () => {
    const lines = ['# made by npm start', 'INVOQ_URL=http://localhost', 'DATABASE_URL=postgresql://u:p=x@127.0.0.1:5/db?a=b', ''];
    writeFileSync(path.join(folder, 'dev.env'), lines.join('\n'));
    expect(findDatabaseUrl({ INVOQ_DATA_DIR: folder })).toBe('postgresql://u:p=x@127.0.0.1:5/db?a=b');
  });

  test('is asked for when nothing names it', () => {
    expect(() => findDatabaseUrl({ INVOQ_DATA_DIR: path.join(folder, 'none') })).toThrow(/npm start.*DATABASE_URL/);
    expect(() => findDatabaseUrl({ DATABASE_URL: 'mysql://a/b' })).toThrow(UsageError);
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
