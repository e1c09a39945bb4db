import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { InputOf } from '#lib/client';
import { CommandError } from '#lib/command-line';
import { importDocuments, type ProductTools } from '#lib/contracts';
import { connect } from '../connect.js';
import { runJob } from '../run-job.js';
import type { FoundFiles } from './find-files.js';
import type { ImportWay, WayReport } from './import-way.js';

const { name, input, maxInputBytes } = importDocuments;
const documentsOf = input.shape.documents;
const pathOf = documentsOf.element.shape.path;

/** What a call carries where the documents may be in several: little enough that the bar moves. */
const portion = { documents: 200, bytes: 4 * 1_024 * 1_024 };
/** What a call can carry, with its other parameters. */
const most = { documents: 2_000, bytes: (maxInputBytes ?? 0) - 65_536 };
const inMb = (bytes: number): number => Math.floor(bytes / 1_048_576);

type Skipped = WayReport['skipped'][number];
type Document = InputOf<ProductTools, 'import_documents'>['documents'][number];

/** Calls of `import_documents`, into the tenant of the key, with its limits, and with a place in the history. */
export function byCalls(): ImportWay {
  const invoq = connect('admin');
  return async ({ files, base }, { collection, prune, signal, onFile, onWarning, onProgress }) => {
    const total = { added: 0, changed: 0, unchanged: 0, removed: 0, sectionsWritten: 0, sectionsKept: 0, sectionsRemoved: 0 };
    const skipped: Skipped[] = [];
    const leftOut: Skipped[] = [];
    const notes: WayReport['notes'][number][] = [];
    const portions = portionsOf(
      { files, base },
      { limits: prune ? most : portion, leaveOut: (path, reason) => leftOut.push({ path, reason }) },
    );
    let done = 0;
    for await (const documents of prune ? together(portions) : portions) {
      signal.throwIfAborted();
      // What was left out was named all the same, so nothing of its name may be removed.
      const mayPrune = prune && leftOut.length === 0;
      const call = { name, input: { collection, documents, prune: mayPrune } } as const;
      const before = done;
      const { data, metadata } = await runJob(invoq, call, {
        signal,
        onProgress: ({ progress }) => onFile(before + Math.floor((documents.length * progress) / 100)),
      });
      for (const key of ['added', 'changed', 'unchanged', 'removed'] as const) total[key] += data[key];
      total.sectionsWritten += data.sections_written;
      total.sectionsKept += data.sections_kept;
      total.sectionsRemoved += data.sections_removed;
      skipped.push(...data.skipped);
      notes.push(...data.notes);
      metadata.warnings?.forEach(onWarning);
      done += documents.length;
      onFile(done);
      onProgress({
        documents: total.added + total.changed + total.unchanged,
        sections: total.sectionsWritten + total.sectionsKept,
        skipped: skipped.length + leftOut.length,
      });
    }
    const [first] = leftOut;
    if (prune && first)
      notes.push({ path: first.path, note: 'nothing was removed from the collection: what was not sent may be a document of it' });
    return { ...total, notes, skipped: [...leftOut, ...skipped] };
  };
}

interface PortionOptions {
  readonly limits: typeof portion;
  readonly leaveOut: (path: string, reason: string) => void;
}

/** The documents in their order, as many together as a call may carry. */
async function* portionsOf({ files, base }: FoundFiles, { limits, leaveOut }: PortionOptions): AsyncGenerator<Document[]> {
  let documents: Document[] = [];
  let size = 0;
  for (const file of files) {
    const path = relative(base, file).split(sep).join('/');
    const faults = pathOf.safeParse(path).error?.issues;
    const document = faults ? `its name ${faults[0]?.message}` : await documentOf(path, file);
    const bytes = typeof document === 'string' ? 0 : Buffer.byteLength(JSON.stringify(document)) + 1;
    if (typeof document === 'string') leaveOut(path, document);
    else if (bytes > most.bytes) leaveOut(path, tooLarge);
    else {
      if (documents.length === limits.documents || (documents.length > 0 && size + bytes > limits.bytes)) {
        yield documents;
        [documents, size] = [[], 0];
      }
      documents.push(document);
      size += bytes;
    }
  }
  if (documents.length > 0) yield documents;
}

const tooLarge = `it has more than the ${inMb(most.bytes)} MB that a call carries; split it, or import it beside the database with --tenant`;

/** The document, or why it cannot be sent. Bytes that are no text go as they are, so that the reader says what is wrong with them. */
async function documentOf(path: string, file: string): Promise<Document | string> {
  const { size } = await stat(file);
  if (size > most.bytes) return tooLarge;
  const content = await readFile(file);
  return isUtf8(content) && !content.includes(0)
    ? { path, content: content.toString('utf8') }
    : { path, content: content.toString('base64'), encoding: 'base64' };
}

/** Pruning removes what a call does not name, so one call has to name everything. */
async function* together(portions: AsyncIterable<Document[]>): AsyncGenerator<Document[]> {
  const found: Document[][] = [];
  for await (const documents of portions) {
    found.push(documents);
    if (found.length > 1)
      throw new CommandError(
        `--prune needs one call that names every document, and a call carries ${most.documents} documents and ${inMb(most.bytes)} MB. ` +
          'Import without --prune, or beside the database with --tenant. Nothing was imported.',
      );
  }
  yield* found;
}
