import { Readable } from 'node:stream';
import { requireOptional } from '#lib/platform';
import { isStreamed, type ByteRange, type FileDisk, type StreamedBytes } from './file-disk.js';
import { checkedKey } from './keys.js';

type Sdk = typeof import('@aws-sdk/client-s3');

interface BucketOptions {
  readonly bucket: string;
  /** The address of a store that is not Amazon's. */
  readonly endpoint?: string | undefined;
  readonly region: string;
}

/** Callers read through the gateway, so nothing in the bucket itself is public. Credentials come from where the SDK looks for them. */
export class BucketDisk implements FileDisk {
  readonly #sdk: Sdk;
  readonly #client: InstanceType<Sdk['S3Client']>;
  readonly #bucket: string;

  /** Throws an error when the client of S3 is not installed: most installations have a folder. */
  constructor({ bucket, endpoint, region }: BucketOptions) {
    this.#sdk = requireOptional({ name: '@aws-sdk/client-s3', folder: 'deploy/object-store' })('@aws-sdk/client-s3');
    this.#client = new this.#sdk.S3Client({
      region,
      maxAttempts: 1,
      // Otherwise streams go in a coding that not every store knows (`aws-chunked`).
      requestChecksumCalculation: 'WHEN_REQUIRED',
      ...(endpoint && { endpoint, forcePathStyle: true }),
    });
    this.#bucket = bucket;
  }

  async put(key: string, content: Uint8Array | string | StreamedBytes, contentType = 'application/octet-stream'): Promise<void> {
    const body = isStreamed(content) ? { Body: content.read(), ContentLength: content.size } : { Body: content };
    const object = { ...this.#object(key), ...body, ContentType: contentType };
    await this.#client.send(new this.#sdk.PutObjectCommand(object));
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const object = { ...this.#object(key), ...(range && { Range: `bytes=${range.start}-${range.end}` }) };
    const { Body, ContentRange } = await this.#client.send(new this.#sdk.GetObjectCommand(object));
    if (!(Body instanceof Readable)) throw new TypeError('The store answered without a body');
    // A store may ignore the range and answer with the whole file.
    return range && ContentRange === undefined ? Readable.from(part(Body, range), { objectMode: false }) : Body;
  }

  async delete(key: string): Promise<void> {
    await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#object(key)));
  }

  async folders(under: string): Promise<readonly string[]> {
    const prefix = `${checkedKey(under)}/`;
    const found: string[] = [];
    const list = { Bucket: this.#bucket, Prefix: prefix, Delimiter: '/' };
    for await (const { CommonPrefixes = [] } of this.#sdk.paginateListObjectsV2({ client: this.#client }, list))
      for (const { Prefix } of CommonPrefixes) if (Prefix) found.push(Prefix.slice(prefix.length, -1));
    return found.toSorted();
  }

  async deleteFolder(path: string): Promise<void> {
    const list = { Bucket: this.#bucket, Prefix: `${checkedKey(path)}/` };
    for await (const { Contents = [] } of this.#sdk.paginateListObjectsV2({ client: this.#client }, list)) {
      const Objects = Contents.map(({ Key }) => ({ Key }));
      if (Objects.length === 0) continue;
      // It answers with success, and lists what it could not remove.
      const { Errors: [failed] = [] } = await this.#client.send(
        new this.#sdk.DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } }),
      );
      if (failed) throw new Error(`The store did not remove ${failed.Key}: ${failed.Code} ${failed.Message}`);
    }
  }

  #object(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: checkedKey(key) };
  }
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
