import { mkdtempDisposableSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DataDir } from './data-dir.js';
import { secretsFor } from './secrets.js';

function dataDir() {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-data-'));
  return { dir: new DataDir(join(folder.path, 'data')), [Symbol.dispose]: () => folder.remove() };
}

test('the folder is made, and names are inside of it', () => {
  using data = dataDir();
  const { dir } = data;
  expect(statSync(dir.path).isDirectory()).toBe(true);
  expect([dir.file('a', 'b'), dir.logFile('gateway')]).toEqual([join(dir.path, 'a', 'b'), join(dir.path, 'logs/gateway.log')]);
});

test('a lock is held until it is given back', () => {
  using data = dataDir();
  const unlock = data.dir.lock();
  expect(readFileSync(data.dir.file('supervisor.pid'), 'utf8')).toBe(String(process.pid));
  unlock();
  data.dir.lock()();
});

test.each([
  ['a process that has ended', '99999999'],
  ['a process that is no start', String(process.ppid)],
  ['nothing', ''],
])('the lock of %s is taken over', (_whose, pid) => {
  using data = dataDir();
  writeFileSync(data.dir.file('supervisor.pid'), pid);
  data.dir.lock();
  expect(readFileSync(data.dir.file('supervisor.pid'), 'utf8')).toBe(String(process.pid));
});

test('a folder that cannot be written is told', () => {
  using data = dataDir();
  rmSync(data.dir.path, { recursive: true });
  expect(() => data.dir.lock()).toThrow(/the data cannot be kept in .*ENOENT.*INVOQ_DATA_DIR=/);
});

test.each(['/proc/x', '/proc/x/y', '/dev/null/x'])('%s, where no folder can be made, is told at once', (path) => {
  expect(() => new DataDir(path)).toThrow(new RegExp(`the data cannot be kept in ${path} .*INVOQ_DATA_DIR=`));
});

test('a folder that was deleted, or that another start has taken, is not locked any more, and is not unlocked', () => {
  using data = dataDir();
  const unlock = data.dir.lock();
  expect(data.dir.isLocked).toBe(true);
  rmSync(data.dir.path, { recursive: true });
  expect(data.dir.isLocked).toBe(false);
  const again = new DataDir(data.dir.path);
  writeFileSync(again.file('supervisor.pid'), '99999999');
  unlock();
  expect(readFileSync(again.file('supervisor.pid'), 'utf8')).toBe('99999999');
});

test('what is written is its owner’s alone unless said otherwise, and may be replaced', () => {
  using data = dataDir();
  data.dir.write('secret', 'one');
  data.dir.write('secret', 'two');
  data.dir.write('public', 'three', 0o644);
  const modeOf = (name: string): number => statSync(data.dir.file(name)).mode & 0o777;
  expect([readFileSync(data.dir.file('secret'), 'utf8'), modeOf('secret'), modeOf('public')]).toEqual(['two', 0o600, 0o644]);
});

test('files that are missing or broken read as nothing', () => {
  using data = dataDir();
  data.dir.write('broken.json', '{"a":');
  data.dir.write('whole.json', '{"a":1}');
  data.dir.write('x.env', '# comment\nA=1\nB="two words"\n');
  expect([data.dir.readJson('missing.json'), data.dir.readJson('broken.json'), data.dir.readJson('whole.json')]).toEqual([
    undefined,
    undefined,
    { a: 1 },
  ]);
  expect([data.dir.readEnv('missing.env'), data.dir.readEnv('x.env')]).toEqual([{}, { A: '1', B: 'two words' }]);
});

test('sealing keys are generated once for a folder, and those of the environment come first', () => {
  using data = dataDir();
  using other = dataDir();
  const { SEALING_KEYS: given } = process.env;
  delete process.env['SEALING_KEYS'];
  try {
    const first = secretsFor(data.dir);
    expect(first.SEALING_KEYS).toMatch(/^k1:[A-Za-z0-9+/]{43}=$/);
    expect(secretsFor(data.dir)).toEqual(first);
    expect(secretsFor(other.dir)).not.toEqual(first);
    process.env['SEALING_KEYS'] = 'k9:given';
    expect(secretsFor(data.dir)).toEqual({ SEALING_KEYS: 'k9:given' });
    delete process.env['SEALING_KEYS'];
    expect(secretsFor(data.dir)).toEqual(first);
  } finally {
    if (given !== undefined) process.env['SEALING_KEYS'] = given;
  }
});
