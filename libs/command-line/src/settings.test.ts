import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { UsageError } from './errors.js';
import { callerFolder, databaseUrl, settingOf } from './settings.js';

const written = 'postgresql://u:p=x@127.0.0.1:5/db?a=b';

function dataFolder(...lines: readonly string[]) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-settings-'));
  writeFileSync(join(folder.path, 'dev.env'), ['# made by npm start', ...lines, ''].join('\n'));
  return folder;
}

test('the environment comes before what npm start wrote; an empty value counts as absent', () => {
  using folder = dataFolder('INVOQ_URL=http://written');
  const environment = { INVOQ_DATA_DIR: folder.path };
  expect(settingOf('INVOQ_URL', { ...environment, INVOQ_URL: 'http://given' })).toBe('http://given');
  expect(settingOf('INVOQ_URL', { ...environment, INVOQ_URL: '' })).toBe('http://written');
  expect(settingOf('INVOQ_API_KEY', environment)).toBeUndefined();
});

test('without a data folder only the environment is read', () => {
  expect(settingOf('INVOQ_URL', { INVOQ_DATA_DIR: '/nowhere/at/all' })).toBeUndefined();
});

test('the database is the one of the environment, else the one of npm start', () => {
  using folder = dataFolder('INVOQ_URL=http://localhost', `DATABASE_URL=${written}`);
  expect(databaseUrl({ DATABASE_URL: 'postgres://a/b', INVOQ_DATA_DIR: folder.path })).toBe('postgres://a/b');
  expect(databaseUrl({ INVOQ_DATA_DIR: folder.path })).toBe(written);
});

test('a database that is not known, or is none of Postgres, is a usage error that names the variable', () => {
  expect(() => databaseUrl({ INVOQ_DATA_DIR: '/nowhere/at/all' })).toThrow(/npm start.*DATABASE_URL/);
  expect(() => databaseUrl({ DATABASE_URL: 'mysql://a/b' })).toThrow(UsageError);
});

test('file names count from where the user stands, also through npm', () => {
  expect(callerFolder({ INIT_CWD: '/home/me' })).toBe('/home/me');
  expect(callerFolder({})).toBe(process.cwd());
});
