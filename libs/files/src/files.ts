import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Database } from '#lib/platform';
import { isStreamed, type ByteRange, type FileDisk, type StreamedBytes } from './file-disk.js';

type FileTable = Pick<Database, 'file' | '$queryRaw' | '$executeRaw'>;
export type StoredFile = NonNullable<Awaited<ReturnType<Database['file']['findUnique']>>>;

/** Bytes that are not in memory, and their digest. */
export interface HashedBytes extends StreamedBytes {
  /** SHA-256, in hex. */
  readonly sha256: string;
}

interface NewFile {
  readonly id: string;
  readonly owner: { readonly tenantId: string; readonly userId: string | null };
  readonly filename: string;
  readonly contentType: string;
  readonly visibility: 'private' | 'public';
  readonly bytes: Uint8Array | HashedBytes;
  readonly expiresAt: Date;
}

const removalBatch = 200;

/** Files that tools made. A row in Postgres has the metadata and the expiry, the disk has the bytes. */
export class Files {
  readonly #table: FileTable;
  readonly #open: () => Promise<FileDisk>;
  #place: Promise<FileDisk> | null = null;

  /** @param open called at the first use: most processes never need the storage */
  constructor(table: FileTable, open: () => Promise<FileDisk>) {
    this.#table = table;
    this.#open = open;
  }

  /** Saves a file, or replaces the one with this id. The row is written first, so that no bytes are left on the disk without a row. */
  async save({ id, owner, bytes, ...rest }: NewFile): Promise<StoredFile> {
    const { size, sha256 } = isStreamed(bytes) ? bytes : { size: bytes.byteLength, sha256: sha256Of(bytes) };
    const row = { ...rest, tenantId: owner.tenantId, userId: owner.userId, sizeBytes: size, sha256 };
    const kept = await this.#table.file.upsert({ where: { id }, create: { id, ...row }, update: row });
    const disk = await this.#opened();
    await disk.put(keyOf(id), bytes, rest.contentType);
    return kept;
  }

  /** The metadata of a file. Null when it does not exist or has expired. */
  async find(id: string, now: Date): Promise<StoredFile | null> {
    const file = await this.#table.file.findUnique({ where: { id } });
    return file && file.expiresAt > now ? file : null;
  }

  /** The content of a file, or a range of it. Rejects when there is none. */
  async read({ id }: Pick<StoredFile, 'id'>, range?: ByteRange): Promise<Readable> {
    const disk = await this.#opened();
    return disk.read(keyOf(id), range);
  }

  async bytes(file: Pick<StoredFile, 'id'>): Promise<Uint8Array> {
    return buffer(await this.read(file));
  }

  /** Removes a file before its time: the bytes first. One that is not there is no error. */
  async delete(id: string): Promise<void> {
    const disk = await this.#opened();
    await disk.delete(keyOf(id));
    await this.#table.file.deleteMany({ where: { id } });
  }

  /** Removes expired files. The bytes go first, so that an interrupted removal is repeated. @returns how many were removed */
  async removeExpired(now: Date): Promise<number> {
    for (let removed = 0; ;) {
      const expired = await this.#table.$queryRaw<
        { readonly id: string }[]
      >`SELECT id FROM file WHERE expires_at <= ${now} LIMIT ${removalBatch}`;
      if (expired.length === 0) return removed;
      const disk = await this.#opened();
      for (const { id } of expired) await disk.delete(keyOf(id));
      const ids = expired.map(({ id }) => id);
      await this.#table.$executeRaw`DELETE FROM file WHERE id = ANY(${ids}) AND expires_at <= ${now}`;
      removed += expired.length;
      if (expired.length < removalBatch) return removed;
    }
  }

  async #opened(): Promise<FileDisk> {
    this.#place ??= this.#open();
    return this.#place;
  }
}

/** The id of a file that an invocation makes. It is the same over all attempts, and does not reveal the effect key. */
export function fileIdOf(effectKey: string, name: string): string {
  return `file_${createHash('sha256').update(`${effectKey}\n${name}`).digest('base64url').replaceAll(/[-_]/g, '0').slice(0, 24)}`;
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Two characters of the id name a folder, so that folders stay small. */
function keyOf(id: string): string {
  return `${id.slice(5, 7)}/${id}`;
}
