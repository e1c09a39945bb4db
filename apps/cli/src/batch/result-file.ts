import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { BatchLine } from '#lib/client';
import { jsonIn } from '#lib/contracts';

const line = z.object({ index: z.number(), success: z.boolean() });

/** What a file of results has: the results up to an index, and how many of them are errors. */
export interface Written {
  /** -1 for none. */
  readonly last: number;
  readonly errors: number;
}

/** What was written before. Half a line at the end, of a process that was killed, is cut off. */
export async function readWritten(file: string): Promise<Written> {
  let [last, errors, bytes] = [-1, 0, 0];
  try {
    for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      const parsed = line.safeParse(jsonIn(text));
      if (!parsed.success || parsed.data.index !== last + 1) break;
      last = parsed.data.index;
      errors += parsed.data.success ? 0 : 1;
      bytes += Buffer.byteLength(text) + 1;
    }
    await truncate(file, bytes);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return { last, errors };
}

/** Adds results to a file as they come. @param onWritten told of each @param isNew empties the file first */
export async function writeResults(
  file: string,
  results: AsyncIterable<BatchLine>,
  { onWritten, isNew }: { readonly onWritten: (result: BatchLine) => void; readonly isNew: boolean },
): Promise<void> {
  const stream = createWriteStream(file, { flags: isNew ? 'w' : 'a' });
  await once(stream, 'open');
  try {
    for await (const result of results) {
      if (!stream.write(`${JSON.stringify(result)}\n`)) await once(stream, 'drain');
      onWritten(result);
    }
  } finally {
    stream.end();
    await once(stream, 'close');
  }
}
