import { z } from 'zod';
import type { KnowledgeBase } from '#lib/knowledge';
import type { SqlPool, VectorIndex } from '#lib/retrieval';
import type { SignedCursors } from '#lib/transport';
import { handlersWith } from '#lib/worker';

/** Where the next page of a document search begins, and what the first page fixed. */
export const searchPosition = z.strictObject({
  offset: z.int().min(0),
  upTo: z.int(),
  lists: z.array(z.tuple([z.int(), z.number()])),
});
export type SearchPosition = z.infer<typeof searchPosition>;

/** What the handlers of this worker get besides their context. */
export interface KnowledgeServices {
  readonly knowledge: Pick<KnowledgeBase, 'search' | 'documents' | 'document'>;
  readonly cursors: SignedCursors<SearchPosition>;
  /** For imports: their transactions may take longer than a search may. */
  readonly importing: { readonly pool: SqlPool; readonly vectors: VectorIndex | null };
  /** After sections have changed: cached citations are of before. */
  readonly sectionsChanged: () => Promise<void>;
}

export const handle = handlersWith<KnowledgeServices>();
