import type { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { FileDisk } from './file-disk.js';

const hourMs = 3_600_000;
/** Clocks differ, so a file stays for this long after its time. */
const graceMs = hourMs;
/** A store that does not answer in this time counts as away. */
const answerMs = 10_000;

/**
 * Files that have no row in the database and no link. The hour in which a file expires is the name of its folder, so what a process
 * leaves behind when it dies goes with the others of that hour.
 */
export class ExpiringFiles {
  readonly #open: () => Promise<FileDisk>;
  readonly #folder: string;
  #place: Promise<FileDisk> | null = null;

  /**
   * @param open called at the first use: most processes never need the storage
   * @param folder `calls` has bodies of calls, `pieces` files of tools that are half there
   */
  constructor(open: () => Promise<FileDisk>, folder: 'calls' | 'pieces' = 'calls') {
    this.#open = open;
    this.#folder = folder;
  }

  /**
   * Saves a file. Rejects when it could not be written within 10 s.
   * @param name letters, digits, `_` and `-`; no two files have the same
   * @param expiresAt epoch milliseconds
   * @returns the key under which it is found
   */
  async put(name: string, content: string | Uint8Array, expiresAt: number): Promise<string> {
    const key = `${this.#folder}/${hourOf(expiresAt + hourMs)}/${name}`;
    await this.#within((disk) => disk.put(key, content));
    return key;
  }

  /** Rejects when there is no such file, or the storage does not answer. */
  async get(key: string): Promise<string> {
    return this.#within(async (disk) => textOf(await disk.read(key)));
  }

  /** The bytes of a file, as they are read. Rejects as `get` does. */
  async read(key: string): Promise<Readable> {
    return this.#within(async (disk) => disk.read(key));
  }

  async delete(key: string): Promise<void> {
    await this.#within((disk) => disk.delete(key));
  }

  /** Removes the files of hours that are over. Several processes may do so at the same time. @returns how many hours were removed */
  async removeExpired(now: number): Promise<number> {
    const disk = await this.#opened();
    const over = (await disk.folders(this.#folder)).filter((name) => name < hourOf(now - graceMs));
    for (const hour of over) await disk.deleteFolder(`${this.#folder}/${hour}`);
    return over.length;
  }

  async #within<T>(work: (disk: FileDisk) => Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new DOMException(`The file store did not answer in ${answerMs} ms`, 'TimeoutError')),
      answerMs,
    );
    try {
      return await Promise.race([this.#opened().then(work), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #opened(): Promise<FileDisk> {
    this.#place ??= this.#open();
    return this.#place;
  }
}

/** `2026-11-22T13`. These names have the order of time. */
function hourOf(at: number): string {
  return new Date(at).toISOString().slice(0, 13);
}

/** Whether a storage says that there is no such file. */
export function isMissing(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return ('code' in error && error.code === 'ENOENT') || ('name' in error && (error.name === 'NoSuchKey' || error.name === 'NotFound'));
}
