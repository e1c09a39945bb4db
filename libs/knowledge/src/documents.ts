import type { Sql } from '#lib/retrieval';
import { withoutPrivateAddresses } from './public-addresses.js';
import { everyTenant } from './spaces.js';
import type { DocumentType } from './document.js';

export interface DocumentFacts {
  readonly id: string;
  readonly title: string;
  readonly collection: string;
  readonly type: DocumentType;
  readonly tags: readonly string[];
  readonly lastUpdated: Date;
}

export interface StoredDocument extends DocumentFacts {
  readonly content: string;
}

interface DocumentRow {
  id: string;
  title: string;
  collection: string;
  type: DocumentType;
  tags: string[];
  last_updated: Date;
}

const columns = 'd.id, d.title, c.name AS collection, d.type, d.tags, d.last_updated';
const tables = 'knowledge_document d JOIN knowledge_collection c ON c.id = d.collection_id';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Metadata of documents by id. Unknown ids are missing in the result. */
export async function loadDocumentFacts(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, DocumentFacts>> {
  const { rows } = await sql.query<DocumentRow>(`SELECT ${columns} FROM ${tables} WHERE d.id = ANY($1::uuid[])`, [ids]);
  return new Map(rows.map((row) => [row.id, toFacts(row)]));
}

/** A whole document. Null when the tenant cannot see one with this id. */
export async function loadDocument(sql: Sql, tenantId: string, id: string): Promise<StoredDocument | null> {
  if (!uuid.test(id)) return null;
  const { rows } = await sql.query<DocumentRow & { content: string }>(
    `SELECT ${columns}, d.content FROM ${tables} WHERE d.id = $1::uuid AND c.tenant_id = ANY($2)`,
    [id, [tenantId, everyTenant]],
  );
  const [row] = rows;
  return row ? { ...toFacts(row), content: withoutPrivateAddresses(row.content) } : null;
}

function toFacts({ id, title, collection, type, tags, last_updated }: DocumentRow): DocumentFacts {
  return { id, title: withoutPrivateAddresses(title), collection, type, tags, lastUpdated: last_updated };
}
