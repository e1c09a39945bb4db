// What of a call is too large for Redis is a file, and the record says where it is.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { isMissing, type ExpiringFiles } from '#lib/files';
import type { Sealer } from './sealing.js';

/** The most bytes of JSON that parameters, an outcome or its secrets have in Redis. */
export const maxInlineBytes = 65_536;

export const bodySchema = z.object({ key: z.string(), bytes: z.number() });
/** A text in the file store: where it is, and its size. */
export type StoredBody = z.infer<typeof bodySchema>;

/** The file store failed. `gone`: it answers, and has no such file. */
export class FileStoreError extends Error {
  override readonly name = 'FileStoreError';
  readonly gone: boolean;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.gone = isMissing(cause);
  }
}

/** Large texts of calls, encrypted in the file store. */
export class Bodies {
  readonly #files: ExpiringFiles;
  readonly #sealer: Sealer;

  constructor(files: ExpiringFiles, sealer: Sealer) {
    this.#files = files;
    this.#sealer = sealer;
  }

  /**
   * Stores a text that is too large for Redis. Throws FileStoreError.
   * @param until epoch milliseconds, from which it may be gone
   * @returns undefined for a text that is small enough, which is not stored
   */
  async keepIfLarge(jobId: string, text: string, until: number): Promise<StoredBody | undefined> {
    const bytes = Buffer.byteLength(text);
    if (bytes <= maxInlineBytes) return undefined;
    // Two attempts may end one call at the same time, so each has a file of its own. The one that loses drops it.
    const name = `${jobId}-${randomBytes(8).toString('hex')}`;
    try {
      return { key: await this.#files.put(name, this.#sealer.sealText(text, purposeOf(name)), until), bytes };
    } catch (error) {
      throw new FileStoreError('The file store could not be written', error);
    }
  }

  /** Throws FileStoreError. */
  async read({ key }: StoredBody): Promise<string> {
    let sealed: string;
    try {
      sealed = await this.#files.get(key);
    } catch (error) {
      throw new FileStoreError('The file store could not be read', error);
    }
    return this.#sealer.openText(sealed, purposeOf(key.slice(key.lastIndexOf('/') + 1)));
  }

  /** Deletes texts that nobody needs any more. What cannot be deleted now expires with its hour. */
  async drop(...bodies: readonly (StoredBody | undefined)[]): Promise<void> {
    await Promise.allSettled(bodies.map(async (body) => body && this.#files.delete(body.key)));
  }
}

/** A file that was put in the place of another one cannot be opened. */
function purposeOf(name: string): string {
  return `body of a call: ${name}`;
}
