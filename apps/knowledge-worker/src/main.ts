import { citationHelper, tools } from '#lib/contracts';
import { KnowledgeBase } from '#lib/knowledge';
import { createEmbedder, createReranker, embeddingSettings, rerankerSettings } from '#lib/models';
import { createPool, settingsOrExit, workerSettings } from '#lib/platform';
import { VectorIndex } from '#lib/retrieval';
import { invalidateCache, SignedCursors } from '#lib/transport';
import { startWorker } from '#lib/worker';
import { VectorBackfill } from './vector-backfill.js';
import { searchPosition, type SearchPosition } from './services.js';
import * as handlers from './tools/index.js';

const settings = settingsOrExit({ ...workerSettings, ...embeddingSettings, ...rerankerSettings });
const importTimeoutMs = 60_000;

await startWorker({
  domain: 'knowledge',
  settings,
  contracts: tools,
  handlers: Object.values(handlers),
  open: (log, { redis, keys }) => {
    const url = settings.DATABASE_URL;
    const pool = createPool({ url, poolSize: settings.DATABASE_POOL, name: 'knowledge-worker' });
    const importPool = createPool({ url, poolSize: 2, name: 'knowledge-import', statementTimeoutMs: importTimeoutMs });
    const embedder = createEmbedder(settings);
    const [sealingKey] = settings.SEALING_KEYS;
    if (!sealingKey) throw new Error('SEALING_KEYS is empty');
    const backfill = new VectorBackfill({ pool: importPool, vectors: embedder && new VectorIndex(importPool, embedder), log });
    backfill.start();
    return {
      services: {
        knowledge: new KnowledgeBase({
          pool,
          vectors: embedder && new VectorIndex(pool, embedder),
          reranker: createReranker(settings),
        }),
        cursors: new SignedCursors<SearchPosition>(sealingKey.key, searchPosition),
        sectionsChanged: () => invalidateCache(redis, keys, { domain: 'knowledge', attemptMs: citationHelper.timeoutMs }),
        importing: { pool: importPool, vectors: embedder && new VectorIndex(importPool, embedder) },
      },
      checks: { postgres: () => pool.query('SELECT 1') },
      close: async () => {
        await backfill.stop();
        await Promise.all([pool.end(), importPool.end()]);
      },
    };
  },
});
