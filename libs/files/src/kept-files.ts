import type { Caller, FileData } from '#lib/contracts';
import type { FileLinks } from './file-links.js';
import type { Files, StoredFile } from './files.js';

type Kept = Omit<Parameters<Files['save']>[0], 'owner' | 'expiresAt'>;

interface KeptFilesParts {
  readonly files: Pick<Files, 'save' | 'delete'>;
  readonly links: Pick<FileLinks, 'linkTo'>;
  /** Where callers reach the gateway. */
  readonly publicUrl: string;
  /** How long a signed link holds, in ms. */
  readonly linkMs: number;
  /** How long a file is kept, in ms. */
  readonly keepMs: number;
}

/** Files that calls make, for their callers: what the answer says of each is the same whichever tool made it. */
export class KeptFiles {
  readonly #parts: KeptFilesParts;

  constructor(parts: KeptFilesParts) {
    this.#parts = parts;
  }

  /** Saves a file, and gives what an answer says of it. Rejects when the store or the database is away. */
  async keep(caller: Caller, file: Kept): Promise<FileData> {
    const { files, keepMs } = this.#parts;
    return this.#dataOf(caller, await files.save({ ...file, owner: caller, expiresAt: new Date(Date.now() + keepMs) }));
  }

  async remove(id: string): Promise<void> {
    await this.#parts.files.delete(id);
  }

  #dataOf(maker: Caller, file: StoredFile): FileData {
    const { links, publicUrl, linkMs: ttlMs } = this.#parts;
    const { url, expiresAt } = links.linkTo(file, { publicUrl, ttlMs, now: Date.now(), maker });
    return {
      file_id: file.id,
      filename: file.filename,
      content_type: file.contentType,
      size_bytes: file.sizeBytes,
      url,
      expires_at: expiresAt.toISOString(),
    };
  }
}
