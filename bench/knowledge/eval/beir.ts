// A collection in the form of TREC and BEIR: corpus.jsonl, queries.jsonl, qrels.tsv (or qrels/test.tsv).
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { importDocuments, KnowledgeBase, readJsonLine, type ImportSource } from '#lib/knowledge';
import type { SqlPool, VectorIndex } from '#lib/retrieval';
import { mean, ndcg, recall, reciprocalRank } from './metrics.js';
import { ReferenceBm25 } from './reference-bm25.js';
import { table } from './report.js';
import { systems, type SystemName } from './rankings.js';

const document = z.object({ _id: z.coerce.string(), title: z.string().default(''), text: z.string() });
const query = z.object({ _id: z.coerce.string(), text: z.string() });
const collection = 'beir';

/** The table of one folder: the reference BM25, our keyword leg, and the rest. */
export async function scoreFolder(
  folder: string,
  { pool, vectors }: { readonly pool: SqlPool; readonly vectors: VectorIndex | null },
): Promise<string> {
  const reference = new ReferenceBm25();
  const sources = async function* (): AsyncGenerator<ImportSource> {
    for await (const line of linesOf(join(folder, 'corpus.jsonl'))) {
      const { _id, title, text } = document.parse(JSON.parse(line));
      reference.add(_id, `${title} ${text}`);
      // As the reference sees it: one field, so that the ranking is compared and not the weighing of titles.
      yield {
        path: _id,
        read: () => ({ ...readJsonLine(_id, JSON.stringify({ _id, text: `${title} ${text}`.trim() || '-' })), title: '' }),
      };
    }
  };
  await importDocuments(sources(), { pool, vectors, tenantId: 'eval', collection });
  const judged = await readQrels(folder);
  const queries: { id: string; text: string }[] = [];
  for await (const line of linesOf(join(folder, 'queries.jsonl'))) {
    const { _id, text } = query.parse(JSON.parse(line));
    if (judged.has(_id)) queries.push({ id: _id, text });
  }
  const knowledge = new KnowledgeBase({ pool, vectors });
  const rows = [
    [
      'reference BM25',
      ...measure(queries.map(({ id, text }) => ({ ids: reference.search(text, 100), judged: judged.get(id) ?? new Map() }))),
    ],
  ];
  for (const system of vectors ? systems : (['keyword'] as const)) {
    const results = [];
    for (const { id, text } of queries)
      results.push({ ids: await search(knowledge, text, system), judged: judged.get(id) ?? new Map<string, number>() });
    rows.push([system, ...measure(results)]);
  }
  return `${queries.length} queries with judgements\n${table(['', 'nDCG@10', 'MRR', 'recall@5'], rows)}`;
}

async function search(knowledge: KnowledgeBase, text: string, system: SystemName): Promise<readonly string[]> {
  const legs = system === 'keyword' || system === 'vector' ? system : 'both';
  const ranking = system === 'reranked' ? 'reranked' : 'fused';
  const { hits } = await knowledge.search({
    tenantId: 'eval',
    collections: [collection],
    query: text,
    legs,
    ranking,
    limit: 100,
    vectorBudgetMs: 60_000,
  });
  return [...new Set(hits.map(({ section }) => section.path))];
}

function measure(results: readonly { readonly ids: readonly string[]; readonly judged: ReadonlyMap<string, number> }[]): readonly string[] {
  return [
    mean(results.map(({ ids, judged }) => ndcg(ids, judged, 10))),
    mean(results.map(({ ids, judged }) => reciprocalRank(ids, judged))),
    mean(results.map(({ ids, judged }) => recall(ids, judged, 5))),
  ].map((value) => value.toFixed(4));
}

/** `query-id corpus-id score`, with or without a head line and TREC's second column. */
async function readQrels(folder: string): Promise<ReadonlyMap<string, Map<string, number>>> {
  const file = ['qrels.tsv', 'qrels/test.tsv'].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (!file) throw new Error(`${folder} has no qrels.tsv and no qrels/test.tsv`);
  const judged = new Map<string, Map<string, number>>();
  for await (const line of linesOf(file)) {
    const cells = line.split(/\s+/);
    const [queryId = '', documentId = '', grade = ''] = cells.length === 4 ? [cells[0], cells[2], cells[3]] : cells;
    if (!/^\d+$/.test(grade)) continue;
    judged.set(queryId, (judged.get(queryId) ?? new Map<string, number>()).set(documentId, Number(grade)));
  }
  return judged;
}

async function* linesOf(file: string): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity }))
    if (line.trim() !== '') yield line;
}
