import { everyTenant, importDocuments, KnowledgeBase } from '#lib/knowledge';
import type { SqlPool, VectorIndex } from '#lib/retrieval';
import { quantile } from './quantile.js';
import { SyntheticTexts } from './synthetic.js';

export interface Measured {
  readonly sections: number;
  readonly importSeconds: number;
  readonly p50: number;
  readonly p95: number;
  readonly keywordP95: number;
  readonly vectorP95: number;
  readonly megabytes: { readonly text: number; readonly keywords: number; readonly vectors: number };
  readonly clientMegabytes: number;
}

const questions = 200;
const warmUps = 20;
const tenantId = everyTenant;

export function collectionOf(sections: number): string {
  return `bench-${sections}`;
}

/** Fills the collection up to so many sections, then asks. Sizes must rise from call to call. */
export async function measure(
  sections: number,
  { pool, vectors, texts }: { readonly pool: SqlPool; readonly vectors: VectorIndex | null; readonly texts: SyntheticTexts },
): Promise<Measured> {
  const start = performance.now();
  const report = await importDocuments(texts.documents(sections), { pool, vectors, tenantId, collection: collectionOf(sections) });
  const importSeconds = (performance.now() - start) / 1_000;
  if (report.skipped.length > 0 || report.vectorWarning !== undefined)
    throw new Error(`the import went wrong: ${report.vectorWarning ?? 'skipped'}`);
  // Autovacuum would do this later.
  for (const table of ['retrieval_posting', 'retrieval_unit', 'retrieval_term', 'knowledge_section'])
    await pool.query(`VACUUM ANALYZE ${table}`);
  const knowledge = new KnowledgeBase({ pool, vectors });
  const times: number[] = [];
  const keyword: number[] = [];
  const vector: number[] = [];
  for (let asked = 0; asked < warmUps + questions; asked++) {
    const began = performance.now();
    const { tookMs } = await knowledge.search({
      tenantId,
      collections: [collectionOf(sections)],
      query: texts.question(),
      limit: 5,
      vectorBudgetMs: 60_000,
    });
    if (asked < warmUps) continue;
    times.push(performance.now() - began);
    keyword.push(tookMs.keyword);
    vector.push(tookMs.vector);
  }
  return {
    sections,
    importSeconds,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    keywordP95: quantile(keyword, 0.95),
    vectorP95: quantile(vector, 0.95),
    megabytes: await sizes(pool),
    clientMegabytes: process.memoryUsage().rss / 1_048_576,
  };
}

/** Of the whole database, so of all sizes measured so far. */
async function sizes(pool: SqlPool): Promise<Measured['megabytes']> {
  const { rows } = await pool.query<{ name: string; bytes: string }>(
    `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class WHERE relkind = 'r' AND (relname LIKE 'retrieval%' OR relname LIKE 'knowledge%')`,
  );
  const sum = (wanted: (name: string) => boolean): number =>
    rows.filter(({ name }) => wanted(name)).reduce((total, { bytes }) => total + Number(bytes), 0) / 1_048_576;
  return {
    text: sum((name) => name.startsWith('knowledge')),
    keywords: sum((name) => name.startsWith('retrieval') && !name.startsWith('retrieval_vector')),
    vectors: sum((name) => name.startsWith('retrieval_vector')),
  };
}
