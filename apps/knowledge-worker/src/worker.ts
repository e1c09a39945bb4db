import { citationHelper, tools } from '#lib/contracts';
import { KnowledgeBase } from '#lib/knowledge';
import { createEmbedder, createReranker } from '#lib/models';
import { createDatabase, createPool } from '#lib/platform';
import { VectorIndex } from '#lib/retrieval';
import { FairSlots } from '#lib/sandbox';
import { invalidateCache, SignedCursors } from '#lib/transport';
import type { WorkerDefinition } from '#lib/worker';
import type { KnowledgeSettings } from './config.js';
import { DocumentReader } from './reading/document-reader.js';
import { VectorBackfill } from './vector-backfill.js';
import { searchPosition, type SearchPosition, type KnowledgeServices } from './services.js';
import * as handlers from './tools/index.js';

const importTimeoutMs = 60_000;
const importConnections = 2;

/** The worker of the domain `knowledge`. @param root the folder that holds `dist` and `node_modules` */
export function knowledgeWorker(settings: KnowledgeSettings, root: string): WorkerDefinition<KnowledgeServices> {
  return {
    domain: 'knowledge',
    settings,
    contracts: tools,
    handlers: Object.values(handlers),
    open: (log, { redis, keys, partitions, metrics }) => {
      const url = settings.DATABASE_URL;
      const pool = createPool({ url, poolSize: settings.DATABASE_POOL, name: 'knowledge-worker' });
      const importPool = createPool({ url, poolSize: importConnections, name: 'knowledge-import', statementTimeoutMs: importTimeoutMs });
      // It connects when a tool asks.
      const questions = createDatabase({ url, poolSize: 1, name: 'knowledge-questions' });
      const embedder = createEmbedder(settings);
      const backfill = new VectorBackfill({ pool: importPool, vectors: embedder && new VectorIndex(importPool, embedder), metrics, log });
      backfill.start();
      const reader = new DocumentReader(root);
      return {
        questions,
        services: {
          knowledge: new KnowledgeBase({
            pool,
            vectors: embedder && new VectorIndex(pool, embedder),
            reranker: createReranker(settings),
          }),
          cursors: new SignedCursors<SearchPosition>(settings.SEALING_KEYS, searchPosition),
          sectionsChanged: () =>
            invalidateCache(redis, keys, { partitions: partitions.all('knowledge'), attemptMs: citationHelper.timeoutMs }),
          metrics,
          reader,
          importing: {
            pool: importPool,
            vectors: embedder && new VectorIndex(importPool, embedder),
            turns: new FairSlots({ total: importConnections, perTenant: 1, maxWaiting: 8, patienceMs: 5_000 }),
          },
        },
        checks: { postgres: () => pool.query('SELECT 1') },
        close: async () => {
          reader.close();
          await backfill.stop();
          await Promise.all([pool.end(), importPool.end(), questions.$disconnect()]);
        },
      };
    },
  };
}
