import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { UsageError } from '#lib/command-line';
import { readOptions } from './options.js';

const folder = mkdtempSync(path.join(tmpdir(), 'profiles-import-'));
const file = path.join(folder, 'rows.NDJSON');
writeFileSync(file, '{}\n');
mkdirSync(path.join(folder, 'folder.csv'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the file is needed; the rest has defaults, and without a tenant the key tells it', () => {
  const defaults = { file, format: 'ndjson', fileBytes: 3, tenant: null, dryRun: false, skipBad: false };
  expect(readOptions(file, {}, '/')).toEqual({ name: file, ...defaults });
  expect(readOptions(file, { tenant: 'acme', dryRun: true, skipBad: true }, '/')).toMatchObject({
    tenant: 'acme',
    dryRun: true,
    skipBad: true,
  });
});

test('a relative name counts from the folder where the user stands', () => {
  expect(readOptions('rows.NDJSON', {}, folder)).toMatchObject({ name: 'rows.NDJSON', file });
});

test.each([
  ['missing.csv', {}, /No such file/],
  ['rows.xlsx', {}, /must end in/],
  ['folder.csv', {}, /Not a file/],
  [file, { tenant: '' }, /--tenant/],
  [file, { tenant: 'a\0' }, /--tenant/],
  [file, { tenant: 'x'.repeat(129) }, /--tenant/],
])('%s with %j is a usage error that says what is wrong', (name, options, message) => {
  expect(() => readOptions(name, options, folder)).toThrow(UsageError);
  expect(() => readOptions(name, options, folder)).toThrow(message);
});

test('a tenant may have 128 characters', () => {
  expect(readOptions(file, { tenant: 'x'.repeat(128) }, folder).tenant).toHaveLength(128);
});
