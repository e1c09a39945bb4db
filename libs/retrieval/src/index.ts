/**
 * Search in one's own Postgres: BM25 keywords and vectors, fused and reranked, for Chinese and English.
 *
 * A **unit** is what is found: a section, a memory node. It lives in a **space**, the scope that one search looks through, named by
 * its owner (`knowledge:12`, `memory:tenant/user`). It has a `ref` (the owner's id of it), weighed text fields, and labels to filter by.
 * The index keeps no texts: the owner loads what it shows by `ref`.
 *
 * ```ts
 * await inTransaction(pool, async (sql) => {
 *   // …the owner's own rows, in the same transaction, then:
 *   const ids = await putUnits(sql, 'memory:t/u', [
 *     { ref: node.id, fields: [{ text: node.title, weight: 3, isHead: true }, { text: node.content }], labels: ['type:decision'] },
 *   ]);
 * });
 * await vectors.put(new Map([[ids.get(node.id), `${node.title}\n${node.content}`]]));   // may fail: keywords still find it
 *
 * const retriever = new Retriever({ pool, vectors: new VectorIndex(pool, hashedNgrams()) });
 * const { hits, found, warnings } = await retriever.search({ spaces: ['memory:t/u'], query: 'vector index', filter: { all: ['type:decision'] } });
 * ```
 *
 * - `putUnits` and `removeUnits` run in the caller's transaction on anything that has `query(text, values)`. A Prisma
 *   transaction does with `{ query: async (text, values = []) => ({ rows: await tx.$queryRawUnsafe(text, ...values) }) }`.
 * - `Retriever.search` ranks by confidence, 0–1. It throws what the database throws; a missing pgvector, a slow or broken embedding
 *   provider cost quality alone and are told in `warnings`.
 * - `listMatches` pages through everything that matches by keywords, in an order that later additions do not change.
 * - `VectorIndex.missing` and `put` fill in the vectors of a new provider while search goes on.
 * - `cutText` and `cutTexts` cut what is too long for its reader, and say so.
 * - `highlight`, `summarise`, `truncate`, `codePoints` are pure functions over text.
 *
 * Tables: prisma/schema/retrieval.prisma, and `retrieval_vector_<model>` made at run time where pgvector is.
 */
export { unitLength, type Embedder, type EmbedOptions } from './embedding/embedder.js';
export { hashedNgrams } from './embedding/hashed-ngrams.js';
export type { LabelFilter } from './filter.js';
export { moveUnits } from './keyword/move-units.js';
export { putUnits, removeUnits, type NewUnit } from './keyword/write-units.js';
export { MemoryIndex, type Found } from './keyword/memory-index.js';
export type { UnitField } from './keyword/unit-terms.js';
export { listMatches, type MatchPage, type Snapshot } from './list-matches.js';
export type { Features } from './ranking/features.js';
export type { Reranker } from './ranking/reranker.js';
export { Retriever, type SearchHit, type SearchRequest, type SearchResult, type TextsOf } from './retriever.js';
export { inTransaction, type Sql, type SqlPool } from './sql.js';
export { codePoints, truncate, truncateUnits } from './text/code-points.js';
export { cutText, cutTexts } from './text/cut-texts.js';
export { highlight, type Highlight } from './text/highlight.js';
export { summarise } from './text/summarise.js';
export { VectorIndex } from './vectors/vector-index.js';
