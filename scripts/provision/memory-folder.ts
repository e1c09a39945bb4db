import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from './leftovers.js';

const gib = 1_024 ** 3;
/** A whole run of the tests has 0.4 GiB of files at once. */
const least = { files: 2 * gib, memory: 4 * gib };

export interface MemoryFolder extends Disposable {
  readonly path: string;
}

/**
 * A folder in memory, for files that nobody needs after this process: to create one takes a tenth of the processor time that a disk's file system
 * takes. It goes away with its owner; what processes have left that were killed goes now.
 * @param place a file system in memory
 * @returns null where the system has none, or little memory
 */
export function memoryFolder(prefix: string, place = '/dev/shm'): MemoryFolder | null {
  if (!existsSync(place)) return null;
  for (const name of readdirSync(place)) {
    const [, pid] = new RegExp(`^${prefix}-(\\d+)$`).exec(name) ?? [];
    // Our own number may have been that of another before.
    if (pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid))))
      rmSync(join(place, name), { recursive: true, force: true });
  }
  const { bavail, bsize } = statfsSync(place);
  if (bavail * bsize < least.files || process.availableMemory() < least.memory) return null;
  const path = join(place, `${prefix}-${process.pid}`);
  mkdirSync(path);
  // As /tmp: servers that run as another user have their files there.
  chmodSync(path, 0o1777);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
