import { CommandError } from '#lib/command-line';

/** A row as it stands in the file, before its fields are checked. */
export interface SourceRow {
  /** The line of the file on which the row begins, from 1. */
  readonly line: number;
  /** The row as written, for the file of rejected rows. Made on demand: few rows are rejected. */
  readonly text: () => string;
  /** What the row says, or why it cannot be read at all. */
  readonly content: { readonly fields: unknown } | { readonly fault: string };
}

/** The bytes of a file in pieces of any size. */
export type Chunks = AsyncIterable<Buffer>;

/** The longest row, which bounds the memory that an import needs. */
export const maxRowBytes = 1_048_576;

/** The rest of the file cannot be read, so nothing of it is loaded. */
export class UnreadableFile extends CommandError {
  override readonly name = 'UnreadableFile';
}

/** Takes off a byte order mark and refuses UTF-16, which spreadsheet programs write as "Unicode text". */
export async function* withoutByteOrderMark(chunks: Chunks): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (!start) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < 3) continue;
    yield stripped(start);
    start = undefined;
  }
  if (start?.length) yield stripped(start);
}

function stripped(start: Buffer): Buffer {
  const utf16 = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
  if (utf16) throw new UnreadableFile('The file is UTF-16. Save it as UTF-8 and import that.');
  const marked = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf;
  return marked ? start.subarray(3) : start;
}
