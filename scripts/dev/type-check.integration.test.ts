import { mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { root } from '#lib/command-line';
import { eventually } from '#lib/testing';
import { TypeCheck } from './type-check.js';

test('wrong types are told with file and line; a newer check takes the place of one that still runs', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-types-'));
  const write = (text: string) => writeFileSync(join(folder.path, 'a.ts'), text);
  writeFileSync(join(folder.path, 'tsconfig.json'), '{"compilerOptions":{"strict":true,"types":[]},"files":["a.ts"]}');
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  let told = '';
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((text) => {
      told += String(text);
      return true;
    });
  const types = new TypeCheck({ project: folder.path, compiler: 'node_modules/typescript7/bin/tsc', records: folder.path });
  try {
    write('export const wrong: string = 3;');
    types.start();
    await eventually(() => told.includes('Types are wrong'), { withinMs: 60_000 });
    expect(told).toMatch(/a\.ts[^]*1[^]*Type 'number' is not assignable to type 'string'[^]*everything runs all the same/);
    // What is printed has control characters as in JSON: a colour would be a heap of signs.
    expect(told).not.toContain('u001b');
    told = '';
    types.start();
    write('export const right: string = "3";');
    types.start();
    await eventually(() => told.includes('Types are right'), { withinMs: 60_000 });
    expect(told).not.toContain('wrong');
  } finally {
    types.stop();
    jest.restoreAllMocks();
  }
}, 120_000);
