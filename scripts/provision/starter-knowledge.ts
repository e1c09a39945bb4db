import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embedderOf, everyTenant, importDocuments, knowledgeSettings } from '#lib/knowledge';
import { createPool, settingsOrExit } from '#lib/platform';
import { VectorIndex } from '#lib/retrieval';
import { sourcesOf } from '../knowledge-import/sources.js';
import { root } from '../root.js';

const collections = ['health', 'stripe-onboarding', 'bazi', 'zodiac'];
const statementTimeoutMs = 60_000;

/** The project's own pages, for every tenant, beside what others put there. What is unchanged costs a look. @returns sections written */
export async function importStarterKnowledge(databaseUrl: string): Promise<number> {
  const embedder = embedderOf(settingsOrExit(knowledgeSettings));
  const pool = createPool({ url: databaseUrl, poolSize: 2, name: 'starter-knowledge', statementTimeoutMs });
  try {
    let written = 0;
    for (const collection of collections) {
      const { base, files } = pagesOf(collection);
      const vectors = embedder && new VectorIndex(pool, embedder);
      const report = await importDocuments(sourcesOf({ files, base }), { pool, vectors, tenantId: everyTenant, collection });
      for (const { path, reason } of report.skipped) throw new Error(`knowledge/${collection}/${path}: ${reason}`);
      written += report.sectionsWritten;
    }
    return written;
  } finally {
    await pool.end();
  }
}

/** One digest of all pages: a database that has had them need not be looked at again. */
export function starterKnowledgeDigest(): string {
  const digest = createHash('sha256');
  for (const file of collections.flatMap((collection) => pagesOf(collection).files)) digest.update(file).update(readFileSync(file));
  return digest.digest('hex');
}

function pagesOf(collection: string): { readonly base: string; readonly files: readonly string[] } {
  const base = join(root, 'knowledge', collection);
  const files = globSync('**/*.md', { cwd: base }).toSorted();
  return { base, files: files.map((file) => join(base, file)) };
}
