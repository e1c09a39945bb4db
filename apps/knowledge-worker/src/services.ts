import { z } from 'zod';
import type { KnowledgeBase } from '#lib/knowledge';
import type { SqlPool, VectorIndex } from '#lib/retrieval';
import type { FairSlots } from '#lib/sandbox';
import type { Metrics, SignedCursors } from '#lib/transport';
import { handlersWith } from '#lib/handlers';
import type { DocumentReader } from './reading/document-reader.js';

/** The position in a document search that a cursor holds: the offset of the next page and the snapshot of the first one. */
export const searchPosition = z.strictObject({
  offset: z.int().min(0),
  upTo: z.int(),
  lists: z.array(z.tuple([z.int(), z.number()])),
});
export type SearchPosition = z.infer<typeof searchPosition>;

/** The services of this worker's handlers. */
export interface KnowledgeServices {
  readonly knowledge: Pick<KnowledgeBase, 'search' | 'documents' | 'document'>;
  readonly cursors: SignedCursors<SearchPosition>;
  /** A pool of its own for imports, whose transactions may take longer than a search. */
  readonly importing: {
    readonly pool: SqlPool;
    readonly vectors: VectorIndex | null;
    /** Imports into one collection wait for each other in the database, so a tenant gets one of the connections only. */
    readonly turns: Pick<FairSlots, 'acquire'>;
  };
  readonly metrics: Metrics;
  readonly reader: Pick<DocumentReader, 'read'>;
  /** Invalidates cached citations after sections have changed. */
  readonly sectionsChanged: () => Promise<void>;
}

/** Makes a handler that gets these services. */
export const handle = handlersWith<KnowledgeServices>();
