import type { Readable } from 'node:stream';

/** A range of bytes, from 0. Both ends are included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes that are not in memory. */
export interface StreamedBytes {
  readonly size: number;
  /** Reads them from their beginning. */
  readonly read: () => Readable;
}

/**
 * Storage for bytes by key: a bucket of an S3-compatible store, or a folder that all processes of the installation share. A key is names of
 * letters, digits, `_`, `-` and `.`, joined by `/`. What has another key is an error, so no key leads out of the folder.
 */
export interface FileDisk {
  /** Saves a file, or replaces the one that has this key. */
  put(key: string, content: Uint8Array | string | StreamedBytes, contentType?: string): Promise<void>;
  /** A file, or a part of it: only that part is read from the storage. Rejects when there is no such file, before anything is read. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Removes a file. One that is not there is no error. */
  delete(key: string): Promise<void>;
  /** The names of the folders right under a folder, in order. */
  folders(under: string): Promise<readonly string[]>;
  /** Removes all files of a folder and of those below it. */
  deleteFolder(path: string): Promise<void>;
}

export function isStreamed(content: Uint8Array | string | StreamedBytes): content is StreamedBytes {
  return typeof content === 'object' && 'read' in content;
}
