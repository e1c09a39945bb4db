// What is known of each candidate, from either leg: read in one statement, computed over all terms of the question.
import type { Sql } from '../sql.js';
import { k1, saturation } from '../keyword/bm25.js';
import type { WeighedQuery } from '../keyword/weigh-terms.js';
import { literal, tableOf, type VectorModel } from '../vectors/vector-store.js';

/** The parts that a confidence is made of, each 0–1. The last is there for units that have a vector. */
export interface Features {
  /** Share of the question's weight whose terms the unit holds. */
  readonly coverage: number;
  /** The same for its headings and key terms. */
  readonly head_coverage: number;
  /** Share of the question's weight that no unit has a word for: it may be about something else. */
  readonly unknown: number;
  /** Share of the heaviest term that this unit lacks: what was asked may be the very thing that is not here. */
  readonly gap: number;
  /** BM25 beside the most that this question could give. */
  readonly keyword: number;
  /** BM25 beside that of the best candidate. */
  readonly lead: number;
  /** Cosine to the question, above what unrelated texts have. */
  readonly similarity?: number;
}

export interface Candidate {
  readonly unitId: number;
  readonly space: string;
  readonly ref: string;
  readonly labels: readonly string[];
  readonly features: Features;
  /** BM25 over all terms of the question, at the reference length. */
  readonly bm25: number;
}

interface CandidateRow {
  id: number;
  space: string;
  ref: string;
  labels: string[];
  length: number;
  term_ids: number[] | null;
  tfs: number[] | null;
  head_ids: number[] | null;
  similarity: number | null;
}

interface VectorPart {
  readonly model: VectorModel;
  readonly query: Float32Array;
  /** The cosine of unrelated texts. */
  readonly unrelated: number;
}

export async function candidatesOf(
  sql: Sql,
  unitIds: readonly number[],
  { query, vectors }: { readonly query: WeighedQuery; readonly vectors: VectorPart | null },
): Promise<readonly Candidate[]> {
  const asked = query.terms.flatMap(({ ids }) => ids);
  const { rows } = await sql.query<CandidateRow>(
    `SELECT unit.id, space.name AS space, unit.ref, unit.labels, unit.length, held.term_ids, held.tfs,
       ARRAY(SELECT h FROM unnest(unit.heads) h WHERE h = ANY($2)) AS head_ids,
       ${vectors ? '1 - (v.vec <=> $3::vector)' : 'NULL::float8'} AS similarity
     FROM retrieval_unit unit JOIN retrieval_space space ON space.id = unit.space_id
     ${vectors ? `LEFT JOIN ${tableOf(vectors.model)} v ON v.unit_id = unit.id` : ''}
     CROSS JOIN LATERAL (SELECT array_agg(t.id) AS term_ids, array_agg(t.tf::int) AS tfs FROM unnest(unit.terms, unit.tfs) AS t(id, tf) WHERE t.id = ANY($2)) held
     WHERE unit.id = ANY($1)`,
    [unitIds, asked, ...(vectors ? [literal(vectors.query)] : [])],
  );
  const candidates = rows.map((row) => toCandidate(row, query, vectors?.unrelated ?? 0));
  const best = Math.max(...candidates.map(({ bm25 }) => bm25));
  return candidates.map((candidate) => ({
    ...candidate,
    features: { ...candidate.features, lead: best > 0 ? candidate.bm25 / best : 0 },
  }));
}

function toCandidate(row: CandidateRow, query: WeighedQuery, unrelated: number): Candidate {
  const tfs = new Map((row.term_ids ?? []).map((id, at) => [id, row.tfs?.[at] ?? 0]));
  const heads = new Set(row.head_ids);
  let [total, covered, inHead, unknown, heaviestLacked, bm25] = [0, 0, 0, 0, 0, 0];
  for (const { ids, weight } of query.terms) {
    total += weight;
    if (ids.length === 0) unknown += weight;
    const id = ids.find((one) => tfs.has(one));
    if (id === undefined) {
      heaviestLacked = Math.max(heaviestLacked, weight);
      continue;
    }
    covered += weight;
    if (heads.has(id)) inHead += weight;
    bm25 += weight * saturation(tfs.get(id) ?? 0, row.length);
  }
  const share = (part: number): number => (total > 0 ? part / total : 0);
  return {
    unitId: row.id,
    space: row.space,
    ref: row.ref,
    labels: row.labels,
    bm25,
    features: {
      coverage: share(covered),
      head_coverage: share(inHead),
      unknown: share(unknown),
      gap: share(heaviestLacked),
      keyword: Math.min(1, share(bm25) / (k1 + 1)),
      lead: 0,
      // Of a text without any feature the cosine is no number.
      ...(row.similarity !== null &&
        !Number.isNaN(row.similarity) && {
          similarity: Math.max(0, Math.min(1, (row.similarity - unrelated) / (1 - unrelated))),
        }),
    },
  };
}
