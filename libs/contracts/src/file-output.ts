import { z } from 'zod';
import { secret } from './marks.js';

/** A file in an answer (TU-51…53): always a link. Over HTTP a small file's bytes are included; models never get them (C-27). */
export const fileOutput = {
  file_id: z.string(),
  filename: z.string(),
  content_type: z.string(),
  size_bytes: z.int().nonnegative(),
  // Secret, because anyone who has the link can read the file.
  url: secret(z.url()).describe('Where the file can be downloaded until expires_at.'),
  expires_at: z.iso.datetime(),
  content_base64: z.string().optional().describe('The file itself, when it is smaller than 1 MiB and the answer is read over HTTP.'),
} as const;

/** The same as a schema: in the output of a tool it says that a file stands there. */
export const keptFile = z.strictObject(fileOutput);
export type FileData = z.output<typeof keptFile>;

/**
 * Files of this many bytes or more are answered as a link only.
 * @limit calls: bytes of a file that is in the answer itself; the answer has its link
 */
export const inlineFileBytes = 1_048_576;
/** @limit calls: bytes of a file that a tool gives; the attempt fails */
export const mostFileBytes = 100 * 1024 * 1024;

/** A media type with its parameters (RFC 9110), as it may stand in a header. */
export const contentTypeShape = /^[\w.+-]+\/[\w.+-]+(?: ?; ?[\w.+-]+=[\w.+-]+)*$/;

/** What the product adds to an answer is found by: an id and a link. */
const linkedFile = z.looseObject({ file_id: z.string(), url: z.url() });
export type LinkedFile = z.output<typeof linkedFile>;

/** The data with every file in it as `change` gives it, at any depth; the same data where it has none. */
export function mapFiles(data: unknown, change: (file: LinkedFile) => object): unknown {
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) {
    const items = data.map((item) => mapFiles(item, change));
    return items.some((item, index) => item !== data[index]) ? items : data;
  }
  const file = 'file_id' in data ? linkedFile.safeParse(data) : undefined;
  if (file?.success) return change(file.data);
  const entries = Object.entries(data);
  const changed = entries.map(([key, item]): [string, unknown] => [key, mapFiles(item, change)]);
  return changed.some(([, item], index) => item !== entries[index]?.[1]) ? Object.fromEntries(changed) : data;
}

/** The files that some data has, at any depth. */
export function filesIn(data: unknown): readonly LinkedFile[] {
  const found: LinkedFile[] = [];
  mapFiles(data, (file) => {
    found.push(file);
    return file;
  });
  return found;
}
