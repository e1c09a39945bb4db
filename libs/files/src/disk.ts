// Storage for bytes: a bucket of an S3-compatible store, or a folder that all processes of the installation share.
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Disk } from 'flydrive';
import type { FileSettings } from '#lib/platform';

/** A range of bytes, from 0. Both ends are included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A storage for files by key. */
export interface FileDisk {
  readonly disk: Disk;
  /** A part of a file. Only that part is read from the storage. Rejects when there is no such file. */
  readonly readPart: (key: string, range: ByteRange) => Promise<Readable>;
}

/** The storage that the settings name. What reads it is loaded here: most processes never need it. */
export async function openDisk(settings: FileSettings): Promise<FileDisk> {
  return settings.FILES_S3_BUCKET ? openBucket(settings, settings.FILES_S3_BUCKET) : openFolder(resolve(settings.FILES_DIR));
}

// Callers read through the gateway, so nothing in the storage itself is public.
const visibility = 'private';

async function openFolder(location: string): Promise<FileDisk> {
  const [{ Disk }, { FSDriver }] = await Promise.all([import('flydrive'), import('flydrive/drivers/fs')]);
  const disk = new Disk(new FSDriver({ location, visibility }));
  return {
    disk,
    readPart: async (key, range) => {
      // Opened here, so that an absent file is an error before anything was answered. `file` refuses a key that leads out of the folder.
      const file = await open(join(location, disk.file(key).key));
      return file.createReadStream(range);
    },
  };
}

async function openBucket({ FILES_S3_ENDPOINT: endpoint, FILES_S3_REGION: region }: FileSettings, bucket: string): Promise<FileDisk> {
  const [{ Disk }, { S3Driver }, { GetObjectCommand, S3Client }] = await Promise.all([
    import('flydrive'),
    import('flydrive/drivers/s3'),
    import('@aws-sdk/client-s3'),
  ]);
  const client = new S3Client({ region, maxAttempts: 1, ...(endpoint && { endpoint, forcePathStyle: true }) });
  return {
    disk: new Disk(new S3Driver({ client, bucket, visibility, supportsACL: false })),
    readPart: async (key, range) => {
      const Range = `bytes=${range.start}-${range.end}`;
      const { Body, ContentRange } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range }));
      if (!(Body instanceof Readable)) throw new TypeError('The store answered without a body');
      // A store may ignore the range and answer with the whole file.
      return ContentRange === undefined ? Readable.from(part(Body, range), { objectMode: false }) : Body;
    },
  };
}

async function* part(whole: Readable, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of whole) {
    const bytes: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    const piece = bytes.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    at += bytes.length;
    if (piece.length > 0) yield piece;
    if (at > end) return;
  }
}
