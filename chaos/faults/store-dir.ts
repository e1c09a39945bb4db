// Folders for the data of a lab's stores, where a fault changes what is in them or how much room there is.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoreDir } from '../lab.js';

const prefix = join(tmpdir(), 'invoq-chaos-stores-');

/** An ordinary folder. */
export async function plainDir(): Promise<StoreDir> {
  const path = mkdtempSync(prefix);
  return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true, force: true }) };
}

/** A file system of its own in memory, of this size. */
export async function smallDir(megabytes: number): Promise<StoreDir> {
  const path = mkdtempSync(prefix);
  const failure = mount(path, megabytes);
  if (failure !== null) throw new Error(failure);
  const unmount = (): void => {
    spawnSync('umount', ['-l', path]);
    rmdirSync(path);
  };
  // Also when this process is stopped in the middle.
  process.once('exit', unmount);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', unmount);
      unmount();
    },
  };
}

/** Why `smallDir` cannot be had here; null when it can. */
export async function noSmallDir(): Promise<string | null> {
  const path = mkdtempSync(prefix);
  const failure = mount(path, 1);
  if (failure === null) spawnSync('umount', [path]);
  rmdirSync(path);
  return failure;
}

function mount(path: string, megabytes: number): string | null {
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'invoq-chaos', path], {
    encoding: 'utf8',
  });
  if (status === 0) return null;
  return `a small file system needs the right to mount one: ${(error?.message ?? stderr).trim()}`;
}
