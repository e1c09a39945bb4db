import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Disk } from 'flydrive';
import type { Database } from '#lib/platform';

type FileTable = Pick<Database, 'file'>;
export type KeptFile = NonNullable<Awaited<ReturnType<Database['file']['findUnique']>>>;

interface NewFile {
  readonly id: string;
  readonly owner: { readonly tenantId: string; readonly userId: string | null };
  readonly filename: string;
  readonly contentType: string;
  readonly visibility: 'private' | 'public';
  readonly bytes: Uint8Array;
  readonly expiresAt: Date;
}

const sweepBatch = 200;

/** Files that tools made: the row says what they are and until when, the disk has the bytes. */
export class Files {
  readonly #table: FileTable;
  readonly #disk: Disk;

  constructor(table: FileTable, disk: Disk) {
    this.#table = table;
    this.#disk = disk;
  }

  /** Keeps a file; the same id again replaces it. The row comes first, so that nothing lies on the disk that no row tells of. */
  async keep({ id, owner, bytes, ...rest }: NewFile): Promise<KeptFile> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const row = { ...rest, tenantId: owner.tenantId, userId: owner.userId, sizeBytes: bytes.byteLength, sha256 };
    const kept = await this.#table.file.upsert({ where: { id }, create: { id, ...row }, update: row });
    await this.#disk.put(keyOf(id), bytes, { contentType: rest.contentType });
    return kept;
  }

  /** Null when there is none, or none any more. */
  async find(id: string, now: Date): Promise<KeptFile | null> {
    const file = await this.#table.file.findUnique({ where: { id } });
    return file && file.expiresAt > now ? file : null;
  }

  /** The bytes from one place to another, both included. A store without ranges is read from its beginning. */
  async read({ id }: Pick<KeptFile, 'id'>, range?: { readonly start: number; readonly end: number }): Promise<Readable> {
    const whole = await this.#disk.getStream(keyOf(id));
    return range ? Readable.from(part(whole, range), { objectMode: false }) : whole;
  }

  async bytes({ id }: Pick<KeptFile, 'id'>): Promise<Uint8Array> {
    return this.#disk.getBytes(keyOf(id));
  }

  /** Removes what has expired, bytes first: what is interrupted is found again. @returns how many */
  async sweep(now: Date): Promise<number> {
    const expired = await this.#table.file.findMany({ where: { expiresAt: { lte: now } }, select: { id: true }, take: sweepBatch });
    for (const { id } of expired) await this.#disk.delete(keyOf(id));
    await this.#table.file.deleteMany({ where: { id: { in: expired.map(({ id }) => id) }, expiresAt: { lte: now } } });
    return expired.length;
  }
}

/** The id of what an invocation makes: the same over all its attempts, told to nobody by the key it is made from. */
export function fileIdOf(effectKey: string, name: string): string {
  return `file_${createHash('sha256').update(`${effectKey}\n${name}`).digest('base64url').replaceAll(/[-_]/g, '0').slice(0, 24)}`;
}

/** Folders of the first two characters keep each folder small. */
function keyOf(id: string): string {
  return `${id.slice(5, 7)}/${id}`;
}

async function* part(whole: Readable, { start, end }: { readonly start: number; readonly end: number }): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of whole) {
    const bytes: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    const piece = bytes.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    at += bytes.length;
    if (piece.length > 0) yield piece;
    if (at > end) return;
  }
}
