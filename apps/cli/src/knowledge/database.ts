import { root, databaseUrl } from '#lib/command-line';
import { importDocuments, sourcesOfFiles } from '#lib/knowledge';
import { createEmbedder, embeddingSettings } from '#lib/models';
import { createPool, settingsOrExit } from '#lib/platform';
import { VectorIndex } from '#lib/retrieval';
import { invalidateCachedCitations } from './cached-citations.js';
import type { ImportWay } from './import-way.js';

const statementTimeoutMs = 120_000;

/** The way of operators, beside the database: of any tenant or of all, and without a limit of size. */
export function byDatabase(tenantId: string): ImportWay {
  return async ({ files, base }, { collection, prune, signal, onFile, onWarning, onProgress }) => {
    const embedder = createEmbedder(settingsOrExit(embeddingSettings));
    const pool = createPool({ url: databaseUrl(), poolSize: 2, name: 'knowledge-import', statementTimeoutMs });
    try {
      const { vectorWarning, ...report } = await importDocuments(sourcesOfFiles(files, { base, repository: root }, onFile), {
        pool,
        vectors: embedder && new VectorIndex(pool, embedder),
        tenantId,
        collection,
        prune,
        signal,
        onProgress,
      });
      if (vectorWarning !== undefined) onWarning(`No vectors for now (${vectorWarning}). The worker makes them when the provider is back.`);
      return report;
    } finally {
      // What was stored before a failure stays, so its citations count too.
      const warning = await invalidateCachedCitations();
      if (warning) onWarning(warning);
      await pool.end();
    }
  };
}
