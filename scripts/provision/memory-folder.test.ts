import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempDisposableSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { memoryFolder } from './memory-folder.js';

test('a folder is for all users, and goes away; those of processes that have ended go before', () => {
  using place = mkdtempDisposableSync(join(tmpdir(), 'invoq-place-'));
  const { pid: ended } = spawnSync(process.execPath, ['-e', '']);
  for (const name of [`some-${ended}`, `some-${process.pid}`, `some-${process.ppid}`, `other-${ended}`]) {
    mkdirSync(join(place.path, name));
    writeFileSync(join(place.path, name, 'file'), '');
  }
  {
    using folder = memoryFolder('some', place.path);
    const path = folder?.path ?? '';
    expect(statSync(path).mode & 0o7777).toBe(0o1777);
    expect(readdirSync(path)).toEqual([]);
    writeFileSync(join(path, 'file'), '');
    expect(readdirSync(place.path).toSorted()).toEqual([`some-${process.ppid}`, `some-${process.pid}`, `other-${ended}`].toSorted());
  }
  expect(readdirSync(place.path).toSorted()).toEqual([`some-${process.ppid}`, `other-${ended}`].toSorted());
});

test('there is none where the system has no place for it', () => {
  expect(memoryFolder('some', join(tmpdir(), 'invoq-nowhere'))).toBeNull();
  expect(existsSync(join(tmpdir(), 'invoq-nowhere'))).toBe(false);
});
