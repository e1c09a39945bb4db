// Tenants of their own in the shared Postgres, for tests of collections.
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { hashedNgrams, inTransaction, removeUnits, VectorIndex } from '#lib/retrieval';
import { givenStores } from '#lib/testing';
import { importDocuments, type ImportOptions, type ImportReport, type ImportSource } from './import/import-documents.js';
import { readMarkdown } from './read/markdown.js';
import { spaceOf } from './spaces.js';

/** A source whose text is Markdown. */
export function page(path: string, text: string): ImportSource {
  return { path, read: () => readMarkdown(path, text) };
}

export class TestKnowledge {
  readonly pool = new Pool({ connectionString: givenStores().databaseUrl, max: 4 });
  readonly vectors = new VectorIndex(this.pool, hashedNgrams());
  readonly tenantId = `test-${randomBytes(5).toString('hex')}`;
  readonly otherTenantId = `${this.tenantId}-other`;

  import(collection: string, sources: Iterable<ImportSource>, more: Partial<ImportOptions> = {}): Promise<ImportReport> {
    return importDocuments(sources, { pool: this.pool, vectors: null, tenantId: this.tenantId, collection, ...more });
  }

  async close(): Promise<void> {
    const { rows } = await this.pool.query<{ id: number; refs: string[] }>(
      `SELECT c.id, array(SELECT s.id::text FROM knowledge_section s JOIN knowledge_document d ON d.id = s.document_id WHERE d.collection_id = c.id) AS refs
       FROM knowledge_collection c WHERE tenant_id = ANY($1)`,
      [[this.tenantId, this.otherTenantId]],
    );
    for (const { id, refs } of rows) await inTransaction(this.pool, (sql) => removeUnits(sql, spaceOf(id), refs));
    await this.pool.query('DELETE FROM knowledge_collection WHERE tenant_id = ANY($1)', [[this.tenantId, this.otherTenantId]]);
    await this.pool.end();
  }
}
