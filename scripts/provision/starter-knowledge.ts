import { everyTenant, importDocuments, sourcesOfFiles } from '#lib/knowledge';
import { root } from '#lib/command-line';
import { createEmbedder, embeddingSettings } from '#lib/models';
import { createPool, settingsOrExit } from '#lib/platform';
import { VectorIndex } from '#lib/retrieval';
import { pagesOf, starterCollections } from './starter-pages.js';

const statementTimeoutMs = 60_000;

/** Imports the project's own pages for every tenant, beside what others imported. What is unchanged is not written again. @returns sections written */
export async function importStarterKnowledge(databaseUrl: string): Promise<number> {
  const embedder = createEmbedder(settingsOrExit(embeddingSettings));
  const pool = createPool({ url: databaseUrl, poolSize: 2, name: 'starter-knowledge', statementTimeoutMs });
  try {
    let written = 0;
    for (const collection of starterCollections) {
      const { base, files } = pagesOf(collection);
      const vectors = embedder && new VectorIndex(pool, embedder);
      const report = await importDocuments(sourcesOfFiles(files, { base, repository: root }), {
        pool,
        vectors,
        tenantId: everyTenant,
        collection,
      });
      for (const { path, reason } of report.skipped) throw new Error(`knowledge/${collection}/${path}: ${reason}`);
      written += report.sectionsWritten;
    }
    return written;
  } finally {
    await pool.end();
  }
}
