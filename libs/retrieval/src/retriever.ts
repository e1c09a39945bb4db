import { keywordLeg, listsOf } from './keyword/keyword-leg.js';
import { weighTerms, type WeighedQuery } from './keyword/weigh-terms.js';
import type { LabelFilter } from './filter.js';
import { candidatesOf, type Candidate, type Features } from './ranking/features.js';
import { logOdds, probability } from './ranking/confidence.js';
import type { Reranker } from './ranking/reranker.js';
import { fuse } from './ranking/fuse.js';
import type { SqlPool } from './sql.js';
import { lookedUpTerms } from './text/query-terms.js';
import type { VectorHit } from './vectors/vector-store.js';
import type { VectorIndex } from './vectors/vector-index.js';

export interface SearchRequest {
  /** The spaces to search. Unknown names are ignored. */
  readonly spaces: readonly string[];
  /** Plain text, without any query syntax. */
  readonly query: string;
  readonly filter?: LabelFilter;
  /** Maximum number of hits. Default 10. */
  readonly limit?: number;
  /** Which of the two searches run. Default both. */
  readonly legs?: 'both' | 'keyword' | 'vector';
  /** `fused` skips the ranking by confidence, for measurements. Default `reranked`. */
  readonly ranking?: 'reranked' | 'fused';
  /** Time limit of the vector search in ms. After it, keywords alone answer. Default 2,000. */
  readonly vectorBudgetMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchHit {
  readonly space: string;
  readonly ref: string;
  readonly labels: readonly string[];
  /** The probability that this unit answers the question, 0–1. It never rises down the list. */
  readonly confidence: number;
  /** The features that the confidence is computed from. */
  readonly parts: Features & { readonly cross_encoder?: number };
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** Number of matching units among those that were read; at least the number of hits. */
  readonly found: number;
  /** Sentences for people about what was degraded: no vectors, misspelled words that were corrected. */
  readonly warnings: readonly string[];
  readonly tookMs: { readonly keyword: number; readonly vector: number; readonly rank: number; readonly total: number };
}

interface RetrieverParts {
  readonly pool: SqlPool;
  /** Null: keyword search only. */
  readonly vectors: VectorIndex | null;
  /** Optional model that reranks the best candidates. It needs their texts. */
  readonly reranker?: { readonly model: Reranker; readonly textsOf: TextsOf } | undefined;
}

/** Texts of units by ref, for the reranker. */
export type TextsOf = (hits: readonly Pick<Candidate, 'space' | 'ref'>[]) => Promise<readonly string[]>;

interface VectorAnswer {
  readonly hits: readonly VectorHit[];
  readonly query: Float32Array | null;
  readonly warning?: string;
}

/** How many units are read for each term. On collections of 100,000 a higher number found no better ten hits. */
const keywordDepth = 600;
/** How many candidates of each search are ranked. */
const legLimit = 60;
const rerankedByModel = 20;
/** The weight of a vector hit, relative to a keyword hit of the same rank. */
const weightOf = { spelling: 0.1, meaning: 1 } as const;

export class Retriever {
  readonly #parts: RetrieverParts;

  constructor(parts: RetrieverParts) {
    this.#parts = parts;
  }

  /** Throws errors of the database. Any other failure lowers the quality of the result and is named in `warnings`. */
  async search(request: SearchRequest): Promise<SearchResult> {
    const start = performance.now();
    const { query, filter = {}, limit = 10, legs = 'both' } = request;
    // The query is embedded while the terms are looked up.
    const embedding = legs === 'keyword' ? null : this.#embed(request);
    const weighed = await weighTerms(this.#parts.pool, request.spaces, lookedUpTerms(query));
    const [keyword, vector] = await Promise.all([
      timed(async () =>
        legs === 'vector'
          ? { hits: [], found: 0 }
          : keywordLeg(this.#parts.pool, { lists: listsOf(weighed), filter, depth: keywordDepth, limit: legLimit }),
      ),
      timed(async () => (embedding ? this.#vectorLeg(request, weighed, embedding) : none)),
    ]);
    const rankStart = performance.now();
    const order = fuse([
      { hits: strengths(keyword.result.hits, 0.5), weight: 1 },
      {
        hits: strengths(
          vector.result.hits.map(({ unitId, similarity }) => ({ id: unitId, score: similarity })),
          4,
        ),
        weight: weightOf[this.#parts.vectors?.embedder.knows ?? 'spelling'],
      },
    ]);
    const candidates = await this.#candidates(order, weighed, vector.result);
    const { hits, warning } = await this.#rank(candidates, request);
    return {
      hits: hits.slice(0, limit),
      found: Math.max(keyword.result.found, hits.length),
      warnings: [...correctionsOf(weighed), vector.result.warning, warning].filter((text) => text !== undefined),
      tookMs: {
        keyword: keyword.ms,
        vector: vector.ms,
        rank: performance.now() - rankStart,
        total: performance.now() - start,
      },
    };
  }

  /** In the order of fusion. */
  async #candidates(order: readonly number[], query: WeighedQuery, vector: VectorAnswer): Promise<readonly Candidate[]> {
    const { pool, vectors } = this.#parts;
    if (order.length === 0) return [];
    const withVectors =
      vectors && vector.query ? { model: await vectors.model(), query: vector.query, unrelated: vectors.embedder.unrelated } : null;
    const found = await candidatesOf(pool, order, { query, vectors: withVectors });
    const byId = new Map(found.map((candidate) => [candidate.unitId, candidate]));
    return order.map((id) => byId.get(id)).filter((candidate) => candidate !== undefined);
  }

  async #rank(
    candidates: readonly Candidate[],
    { query, ranking = 'reranked' }: SearchRequest,
  ): Promise<{ hits: readonly SearchHit[]; warning?: string }> {
    const scored = candidates.map((candidate) => ({ candidate, odds: logOdds(candidate.features, this.#parts.vectors?.embedder.knows) }));
    if (ranking === 'fused') return { hits: scored.map(({ candidate, odds }) => toHit(candidate, odds)) };
    // The sort is stable, so hits with equal odds keep the order of fusion.
    const sorted = scored.toSorted((a, b) => b.odds - a.odds);
    const { reranker } = this.#parts;
    if (!reranker) return { hits: sorted.map(({ candidate, odds }) => toHit(candidate, odds)) };
    try {
      const best = sorted.slice(0, rerankedByModel);
      const scores = await reranker.model.score(query, await reranker.textsOf(best.map(({ candidate }) => candidate)));
      const reread = best
        .map(({ candidate, odds }, at) => ({ candidate, odds: 0.3 * odds + 0.7 * (scores[at] ?? 0), model: scores[at] ?? 0 }))
        .toSorted((a, b) => b.odds - a.odds);
      return { hits: reread.map(({ candidate, odds, model }) => toHit(candidate, odds, probability(model))) };
    } catch {
      return {
        hits: sorted.map(({ candidate, odds }) => toHit(candidate, odds)),
        warning: `The reranking model ${reranker.model.name} could not be used; results are ranked without it.`,
      };
    }
  }

  async #embed({ query, vectorBudgetMs = 2_000, signal }: SearchRequest): Promise<Float32Array | Error> {
    const { vectors } = this.#parts;
    if (!vectors) return new Error('no embedding provider is configured');
    const limit = AbortSignal.timeout(vectorBudgetMs);
    // The error is returned, because nothing awaits this promise yet and a rejection would be unhandled.
    return withinMs(vectors.embedQuery(query, signal ? AbortSignal.any([signal, limit]) : limit), vectorBudgetMs).catch(asError);
  }

  async #vectorLeg(
    { filter = {}, vectorBudgetMs = 2_000 }: SearchRequest,
    { spaceIds, units }: WeighedQuery,
    embedding: Promise<Float32Array | Error>,
  ): Promise<VectorAnswer> {
    const { vectors } = this.#parts;
    const started = performance.now();
    try {
      const query = await embedding;
      if (query instanceof Error) throw query;
      if (!vectors || units === 0) return { hits: [], query: null };
      const left = vectorBudgetMs - (performance.now() - started);
      const hits = await withinMs(vectors.nearest({ vector: query, spaceIds, units, filter, limit: legLimit }), left);
      return { hits: hits.filter(({ similarity }) => similarity > vectors.embedder.unrelated), query };
    } catch (error) {
      return { hits: [], query: null, warning: `Searched by keywords alone: ${asError(error).message}.` };
    }
  }
}

/** Scores relative to the best one, to a power: cosines lie close together, so a high power spreads them; keyword scores need a low one. */
function strengths(
  hits: readonly { readonly id: number; readonly score: number }[],
  power: number,
): readonly { readonly id: number; readonly strength: number }[] {
  const best = hits[0]?.score ?? 1;
  return hits.map(({ id, score }) => ({ id, strength: best > 0 ? Math.max(0, score / best) ** power : 1 }));
}

const none: VectorAnswer = { hits: [], query: null };

function toHit({ space, ref, labels, features }: Candidate, odds: number, model?: number): SearchHit {
  const parts = model === undefined ? features : { ...features, cross_encoder: model };
  return { space, ref, labels, confidence: probability(odds), parts };
}

function correctionsOf({ terms }: WeighedQuery): readonly string[] {
  return terms
    .filter(({ term, readAs }) => readAs !== undefined && /^[a-z]/.test(term))
    .map(({ term, readAs }) => `"${term}" is nowhere; searched for "${readAs}".`);
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; ms: number }> {
  const start = performance.now();
  const result = await work();
  return { result, ms: performance.now() - start };
}

async function withinMs<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the vector leg took longer than ${Math.max(0, Math.round(ms))} ms`)), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
