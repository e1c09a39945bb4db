import { UnreadableDocument, type NewDocument } from '../document.js';
import { readJsonLine } from './json-line.js';
import { readDocument } from './read-document.js';

/** A document that was read, or why it could not be. */
export type Read = { readonly path: string; readonly document: NewDocument } | { readonly path: string; readonly reason: string };

/** The documents of a file: one, or one for each line of a JSONL file. */
export async function readEach(path: string, bytes: Uint8Array): Promise<readonly Read[]> {
  if (!/\.(jsonl|ndjson)$/i.test(path)) return [await readOne(path, () => readDocument(path, bytes))];
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  const read: Read[] = [];
  for (const [index, line] of lines.entries()) {
    const place = `${path}:${index + 1}`;
    if (line.trim() !== '') read.push(await readOne(place, () => readJsonLine(place, line)));
  }
  return read;
}

async function readOne(path: string, read: () => Promise<NewDocument> | NewDocument): Promise<Read> {
  try {
    return { path, document: await read() };
  } catch (error) {
    if (error instanceof UnreadableDocument) return { path, reason: error.message };
    // Deeper than the stack.
    if (error instanceof RangeError) return { path, reason: 'it is nested too deep' };
    throw error;
  }
}
