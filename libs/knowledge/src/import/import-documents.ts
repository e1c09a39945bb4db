import { setImmediate } from 'node:timers/promises';
import type { SqlPool, VectorIndex } from '#lib/retrieval';
import { UnreadableDocument, type NewDocument } from '../document.js';
import { prepareDocument, type PreparedDocument } from './prepare.js';
import { removeOthers, storeDocuments, type CollectionRef, type StoredBatch } from './store-documents.js';

/** One thing that an import was given: how to read it, and what it is called in the report. */
export interface ImportSource {
  readonly path: string;
  /** Throws UnreadableDocument when it cannot. */
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
  /** Stored, but not as it was given. */
  readonly notes: readonly { readonly path: string; readonly note: string }[];
  /** Why there are no vectors, when there are none; the worker makes them later. */
  readonly vectorWarning?: string;
}

export interface ImportOptions extends CollectionRef {
  readonly pool: SqlPool;
  readonly vectors: VectorIndex | null;
  /** Removes the documents of the collection that this import does not name. */
  readonly prune?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** After each stored batch. */
  readonly onProgress?: (progress: {
    readonly documents: number;
    readonly sections: number;
    readonly skipped: number;
    readonly path: string;
  }) => void;
}

/** One transaction of this many: enough to be quick, few enough for others to get their turn. */
const batchSections = 200;
const batchDocuments = 200;

/**
 * Reads and stores documents, batch by batch. What is stored stays stored when a later one fails or the signal fires; running again
 * goes on where it stopped, because what is unchanged costs one look.
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
  let batch: PreparedDocument[] = [];
  let last = '';

  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const stored: StoredBatch = await storeDocuments(pool, target, batch);
    for (const key of ['added', 'changed', 'unchanged', 'sectionsWritten', 'sectionsKept', 'sectionsRemoved'] as const)
      total[key] += stored[key];
    batch = [];
    // Found by keywords from now on; vectors may be late.
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
      named.push(source.path);
      skipped.push({ path: source.path, reason: error.message });
    }
    if (batch.length >= batchDocuments || batch.reduce((sum, { sections }) => sum + sections.length, 0) >= batchSections) await flush();
    // Analysing is work without a pause: whoever shares this process gets a turn.
    await setImmediate();
  }
  await flush();
  const removed = prune ? await removeOthers(pool, target, named) : 0;
  return { ...total, removed, skipped, notes, ...(vectorWarning !== undefined && { vectorWarning }) };
}
