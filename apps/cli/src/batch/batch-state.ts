import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const stored = z.object({
  /** Of the file of calls: another content is another batch. */
  hash: z.string(),
  /** The Idempotency-Key of the batch. */
  key: z.string(),
  /** Null until the gateway has answered. */
  batchId: z.string().nullable(),
  url: z.string(),
});
export type BatchState = z.output<typeof stored>;

/** What stands beside a file of calls until their results are there, so that the same command goes on with them. */
export class BatchStateFile {
  readonly #path: string;

  /** @param file of the calls */
  constructor(file: string) {
    this.#path = `${file}.batch`;
  }

  /** What was begun with this content at this gateway; else a new beginning. */
  async read(hash: string, url: string): Promise<{ readonly state: BatchState; readonly isNew: boolean }> {
    const found = stored.safeParse(await this.#parsed());
    const isSame = found.success && found.data.hash === hash && found.data.url === url;
    return isSame
      ? { state: found.data, isNew: false }
      : { state: { hash, key: `invoq-batch-${randomUUID()}`, batchId: null, url }, isNew: true };
  }

  async write(state: BatchState): Promise<void> {
    const next = `${this.#path}.next`;
    await writeFile(next, `${JSON.stringify(state)}\n`);
    await rename(next, this.#path);
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  async #parsed(): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8'));
    } catch {
      // None, or half of one: then it begins anew.
      return null;
    }
  }
}

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part);
  return hash.digest('hex');
}
