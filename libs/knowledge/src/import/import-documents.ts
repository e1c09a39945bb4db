import { setImmediate } from 'node:timers/promises';
import type { SqlPool, VectorIndex } from '#lib/retrieval';
import { UnreadableDocument, type NewDocument } from '../document.js';
import { prepareDocument, type PreparedDocument } from './prepare.js';
import { removeOthers, storeDocuments, type CollectionRef, type StoredBatch } from './store-documents.js';

/** A document to import: its path in the report, and how to read it. */
export interface ImportSource {
  readonly path: string;
  /** Throws UnreadableDocument when the document cannot be read. */
  readonly read: () => Promise<NewDocument> | NewDocument;
}

export interface ImportReport {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly sectionsWritten: number;
  readonly sectionsKept: number;
  readonly sectionsRemoved: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Documents that were stored with changes, such as a removed private address. */
  readonly notes: readonly { readonly path: string; readonly note: string }[];
  /** Why vectors are missing. The worker makes them later. */
  readonly vectorWarning?: string;
}

export interface ImportOptions extends CollectionRef {
  readonly pool: SqlPool;
  readonly vectors: VectorIndex | null;
  /** Removes the documents of the collection whose paths are not in this import. Unreadable documents count as named. */
  readonly prune?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called after each stored batch, with totals so far. `path` is the last document. */
  readonly onProgress?: (progress: {
    readonly documents: number;
    readonly sections: number;
    readonly skipped: number;
    readonly path: string;
  }) => void;
}

/** Size of one transaction: large enough to be fast, small enough not to block other writers for long. */
const batchSections = 200;
const batchDocuments = 200;
const isLine = /\.(jsonl|ndjson)(:\d+)?$/i;

/**
 * Reads and stores documents in batches. Stored batches remain when a later one fails or the signal fires. Running the import again
 * continues where it stopped, because unchanged documents are only compared.
 */
export async function importDocuments(
  sources: Iterable<ImportSource> | AsyncIterable<ImportSource>,
  { pool, vectors, prune = false, signal, onProgress, tenantId, collection }: ImportOptions,
): Promise<ImportReport> {
  const target = { tenantId, collection };
  const total = { added: 0, changed: 0, unchanged: 0, sectionsWritten: 0, sectionsKept: 0, sectionsRemoved: 0 };
  const skipped: { path: string; reason: string }[] = [];
  const notes: { path: string; note: string }[] = [];
  const named: string[] = [];
  let vectorWarning: string | undefined;
  /** What could not be read, and may be any document: those of such a file have names of their own. */
  let unnamed: string | undefined;
  let batch: PreparedDocument[] = [];
  let last = '';

  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const stored: StoredBatch = await storeDocuments(pool, target, batch);
    for (const key of ['added', 'changed', 'unchanged', 'sectionsWritten', 'sectionsKept', 'sectionsRemoved'] as const)
      total[key] += stored[key];
    batch = [];
    // From here on keywords find the documents. Vectors may follow later.
    vectorWarning ??= await vectors?.put(stored.texts, { ...(signal && { signal }) }).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    onProgress?.({
      documents: total.added + total.changed + total.unchanged,
      sections: total.sectionsWritten + total.sectionsKept,
      skipped: skipped.length,
      path: last,
    });
  };

  for await (const source of sources) {
    signal?.throwIfAborted();
    last = source.path;
    try {
      const document = prepareDocument(await source.read());
      named.push(document.path);
      notes.push(...[...new Set(document.notes)].map((note) => ({ path: source.path, note })));
      batch.push(document);
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) throw error;
      // It was named, so pruning leaves the version that is stored.
      named.push(error.documentPath ?? source.path);
      if (error.documentPath === undefined && isLine.test(source.path)) unnamed ??= source.path;
      skipped.push({ path: source.path, reason: error.message });
    }
    if (batch.length >= batchDocuments || batch.reduce((sum, { sections }) => sum + sections.length, 0) >= batchSections) await flush();
    // Analysing text blocks the event loop, so other work of this process gets a turn here.
    await setImmediate();
  }
  await flush();
  if (prune && unnamed !== undefined)
    notes.push({ path: unnamed, note: 'nothing was removed from the collection: what could not be read may name any document of it' });
  const removed = prune && unnamed === undefined ? await removeOthers(pool, target, named) : 0;
  return { ...total, removed, skipped, notes, ...(vectorWarning !== undefined && { vectorWarning }) };
}
