import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { fileSettings } from '#lib/platform';
import { openDisk } from './disk.js';
import { fileIdOf } from './files.js';

const folder = mkdtempSync(join(tmpdir(), 'invoq-disk-'));
afterAll(() => rmSync(folder, { recursive: true }));
const disk = await openDisk(z.object(fileSettings).parse({ FILES_DIR: join(folder, 'files') }));
const text = '0123456789';
mkdirSync(join(folder, 'files'), { recursive: true });
writeFileSync(join(folder, 'files', 'ten'), text);
writeFileSync(join(folder, 'outside'), 'secret');

describe('a part of a file in a folder', () => {
  test('is what lies between its two ends, both included', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(12), fc.nat(12), async (a, b) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        expect((await buffer(await disk.read('ten', { start, end }))).toString()).toBe(text.slice(start, end + 1));
      }),
      { numRuns: 40 },
    );
  });

  test('of a file that is not there is an error before anything is read', async () => {
    await expect(disk.read('none', { start: 0, end: 1 })).rejects.toThrow('ENOENT');
  });
});

describe('a key that leads out of the folder', () => {
  test.each(['../outside', '..\\outside/../../outside', '/../outside', 'a/../../outside', '..', '.', '', '/', 'a//b', 'a/\0'])(
    '%s is not read and not written',
    async (key) => {
      await expect(disk.read(key)).rejects.toThrow('is no key of a file');
      await expect(disk.read(key, { start: 0, end: 5 })).rejects.toThrow('is no key of a file');
      await expect(disk.put(key, 'changed')).rejects.toThrow('is no key of a file');
      await expect(disk.delete(key)).rejects.toThrow('is no key of a file');
      await expect(disk.deleteFolder(key)).rejects.toThrow('is no key of a file');
      await expect(disk.folders(key)).rejects.toThrow('is no key of a file');
      expect(readFileSync(join(folder, 'outside'), 'utf8')).toBe('secret');
    },
  );
});

describe('the settings', () => {
  const parse = (env: Record<string, string>) => z.object(fileSettings).safeParse(env);
  test('have a folder and a region where nothing is said', () => {
    expect(parse({}).data).toEqual({ FILES_DIR: '.data/files', FILES_S3_REGION: 'us-east-1' });
  });

  test.each([
    [{ FILES_S3_ENDPOINT: 'no address' }, false],
    [{ FILES_S3_ENDPOINT: 'http://127.0.0.1:9000', FILES_S3_BUCKET: 'b' }, true],
  ])('%j are taken: %s', (env, taken) => {
    expect(parse(env).success).toBe(taken);
  });
});

test('the id of a file is a name without any path, the same for the same call and another for any other', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (effectKey, other, name) => {
      const id = fileIdOf(effectKey, name);
      expect(id).toMatch(/^file_[A-Za-z0-9]{24}$/);
      expect(fileIdOf(effectKey, name)).toBe(id);
      expect(fileIdOf(other, name) === id).toBe(other === effectKey);
    }),
  );
});
