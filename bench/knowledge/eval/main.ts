// `npx invoq eval knowledge`: how well the starter knowledge is found, by the labelled questions; or any folder in BEIR's form.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { KnowledgeBase } from '#lib/knowledge';
import { createEmbedder, createReranker, embeddingSettings, rerankerSettings } from '#lib/models';
import { createPool, settingsOrExit } from '#lib/platform';
import { VectorIndex } from '#lib/retrieval';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startPostgres } from '../../../scripts/provision/private-stores.js';
import { importStarterKnowledge } from '../../../scripts/provision/starter-knowledge.js';
import { print, root, runScript } from '#lib/command-line';
import { scoreFolder } from './beir.js';
import { fitConfidence } from './fit-confidence.js';
import { askedElsewhere, readLabelled, type Split } from './labelled.js';
import { rank, systems, type Ranking, type SystemName } from './rankings.js';
import { byKind, calibration, overall } from './report.js';

const help = `Scores the search with labelled questions, in a database of its own.

  npx invoq eval knowledge                  the starter knowledge, knowledge/eval/queries.jsonl
  npx invoq eval knowledge --fit            and fits the weights of the confidence anew
  npx invoq eval knowledge --beir <folder>  corpus.jsonl, queries.jsonl, qrels.tsv, beside a reference BM25

Embeddings: the EMBEDDING_* settings of .env.example.
`;

await runScript(async () => {
  const { values } = parseArgs({ options: { fit: { type: 'boolean' }, beir: { type: 'string' } } });
  const settings = settingsOrExit({ ...embeddingSettings, ...rerankerSettings });
  const embedder = createEmbedder(settings);
  await using postgres = await startPostgres();
  await migrate(postgres.url);
  const pool = createPool({ url: postgres.url, poolSize: 2, name: 'eval', statementTimeoutMs: 120_000 });
  try {
    const vectors = embedder && new VectorIndex(pool, embedder);
    if (values.beir !== undefined) {
      print(await scoreFolder(resolve(process.env['INIT_CWD'] || process.cwd(), values.beir), { pool, vectors }));
      return 0;
    }
    await importStarterKnowledge(postgres.url);
    const labelled = readLabelled(join(root, 'knowledge/eval/queries.jsonl'));
    const questions = [...labelled, ...askedElsewhere(labelled)];
    const asker = { knowledge: new KnowledgeBase({ pool, vectors, reranker: createReranker(settings) }), tenantId: 'eval' };
    const rankings = new Map<SystemName, readonly Ranking[]>();
    for (const system of vectors ? systems : (['keyword'] as const)) rankings.set(system, await rank(asker, questions, system));
    const best = rankings.get('reranked') ?? rankings.get('keyword') ?? [];
    const inSplit = (split: Split) => overall(rankings, (ranking) => ranking.labelled.split === split);
    const fitted = (['fused', 'keyword'] as const).filter((system) => values.fit && rankings.has(system));
    const tables = [
      `${labelled.length} questions, embeddings: ${embedder?.name ?? 'none'}`,
      `Held out: nothing was fitted to these\n${inSplit('held_out')}`,
      `Development\n${inSplit('development')}`,
      `All\n${overall(rankings)}`,
      byKind(rankings, ({ labelled: { kind } }) => kind),
      byKind(rankings, ({ labelled: { lang } }) => lang),
      byKind(rankings, ({ labelled: { collection } }) => collection),
      calibration(best),
      ...fitted.map((system) => `Weights for ${system}:\n${fitConfidence(rankings.get(system) ?? [])}`),
    ];
    print(tables.join('\n\n'));
    return 0;
  } finally {
    await pool.end();
  }
}, help);
