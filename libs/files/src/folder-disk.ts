import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { isStreamed, type ByteRange, type FileDisk, type StreamedBytes } from './file-disk.js';
import { checkedKey } from './keys.js';

/** Files in a folder. */
export class FolderDisk implements FileDisk {
  readonly #root: string;

  /** @param root made when the first file is saved */
  constructor(root: string) {
    this.#root = root;
  }

  async put(key: string, content: Uint8Array | string | StreamedBytes): Promise<void> {
    const path = this.#pathOf(key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, isStreamed(content) ? content.read() : content);
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    // Opened here, so that an absent file is an error before anything was answered.
    const file = await open(this.#pathOf(key));
    return file.createReadStream(range);
  }

  async delete(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  async folders(under: string): Promise<readonly string[]> {
    const entries = await readdir(this.#pathOf(under), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .toSorted();
  }

  async deleteFolder(path: string): Promise<void> {
    await rm(this.#pathOf(path), { recursive: true, force: true });
  }

  #pathOf(key: string): string {
    return join(this.#root, checkedKey(key));
  }
}
