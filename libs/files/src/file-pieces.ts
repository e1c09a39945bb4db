import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ExpiringFiles } from './expiring-files.js';
import type { HashedBytes } from './files.js';

/** Longer than any attempt lasts, in ms. */
const pieceLifeMs = 3_600_000;

/**
 * A file that comes in pieces. Each is kept in the file store until the last is there: so it takes no memory, and what a process leaves
 * behind when it dies is removed with what else expires in that hour.
 */
export class FilePieces {
  readonly #store: Pick<ExpiringFiles, 'put' | 'read' | 'delete'>;
  readonly #name: string;
  readonly #hash: Hash = createHash('sha256');
  readonly #keys: string[] = [];
  #size = 0;

  /** @param name letters, digits, `_` and `-`; no other file that is half there has it */
  constructor(store: Pick<ExpiringFiles, 'put' | 'read' | 'delete'>, name: string) {
    this.#store = store;
    this.#name = name;
  }

  /** Bytes that are there. */
  get size(): number {
    return this.#size;
  }

  /** @param now epoch milliseconds */
  async add(bytes: Uint8Array, now: number): Promise<void> {
    if (bytes.byteLength === 0) return;
    this.#keys.push(await this.#store.put(`${this.#name}-${this.#keys.length}`, bytes, now + pieceLifeMs));
    this.#hash.update(bytes);
    this.#size += bytes.byteLength;
  }

  /** All of them, in their order. Nothing may be added afterwards. */
  whole(): HashedBytes {
    return { size: this.#size, sha256: this.#hash.digest('hex'), read: () => Readable.from(this.#all(), { objectMode: false }) };
  }

  async drop(): Promise<void> {
    for (const key of this.#keys.splice(0)) await this.#store.delete(key);
  }

  async *#all(): AsyncGenerator<Buffer> {
    for (const key of this.#keys) for await (const chunk of await this.#store.read(key)) yield Buffer.from(chunk);
  }
}
