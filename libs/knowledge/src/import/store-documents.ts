// Stores a batch of documents in one transaction. Unchanged documents and sections are left alone.
import { inTransaction, putUnits, removeUnits, type Sql, type SqlPool } from '#lib/retrieval';
import { collectionId, spaceOf } from '../spaces.js';
import type { PreparedDocument, PreparedSection } from './prepare.js';
import { embeddedText, unitOf } from './units.js';

export interface StoredBatch {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly sectionsWritten: number;
  readonly sectionsKept: number;
  readonly sectionsRemoved: number;
  /** The texts to embed, by unit id. */
  readonly texts: ReadonlyMap<number, string>;
}

export interface CollectionRef {
  readonly tenantId: string;
  readonly collection: string;
}

interface KnownDocument {
  readonly id: string;
  readonly path: string;
  readonly hash: string;
}

interface WrittenSection {
  readonly document: PreparedDocument & { readonly id: string };
  readonly section: PreparedSection;
  readonly position: number;
}

/** Stores documents; of several with one path the last one counts. Vectors are not made here: see `texts`. */
export async function storeDocuments(pool: SqlPool, target: CollectionRef, documents: readonly PreparedDocument[]): Promise<StoredBatch> {
  return inTransaction(pool, async (sql) => {
    const collection = await collectionId(sql, target.tenantId, target.collection);
    const latest = [...new Map(documents.map((document) => [document.path, document])).values()];
    const known = await knownDocuments(sql, collection, latest);
    const differing = latest.filter(({ path, hash }) => known.get(path)?.hash !== hash);
    const ids = await writeDocuments(sql, collection, differing);
    const withIds = differing.map((document) => ({ ...document, id: ids.get(document.path) ?? '' }));
    const { kept, fresh, gone } = await compareSections(sql, withIds);
    await removeUnits(sql, spaceOf(collection), gone.map(String));
    await sql.query('DELETE FROM knowledge_section WHERE id = ANY($1)', [gone]);
    const texts = await writeSections(sql, collection, fresh);
    const added = differing.filter(({ path }) => !known.has(path)).length;
    return {
      added,
      changed: differing.length - added,
      unchanged: latest.length - differing.length,
      sectionsWritten: fresh.length,
      sectionsKept: kept,
      sectionsRemoved: gone.length,
      texts,
    };
  });
}

/** How many documents of a collection have paths that are not in the list, and the first of those paths. */
export async function countOthers(
  pool: SqlPool,
  { tenantId, collection }: CollectionRef,
  paths: readonly string[],
): Promise<{ readonly count: number; readonly first: readonly string[] }> {
  const { rows } = await pool.query<{ count: string; path: string }>(
    `SELECT count(*) OVER () AS count, d.path FROM knowledge_document d JOIN knowledge_collection c ON c.id = d.collection_id
     WHERE c.tenant_id = $1 AND c.name = $2 AND NOT d.path = ANY($3) ORDER BY d.path LIMIT 3`,
    [tenantId, collection, paths],
  );
  return { count: Number(rows[0]?.count ?? 0), first: rows.map(({ path }) => path) };
}

/** Deletes the documents of a collection whose paths are not in the list. @returns the number of deleted documents */
export async function removeOthers(pool: SqlPool, target: CollectionRef, paths: readonly string[]): Promise<number> {
  return inTransaction(pool, async (sql) => {
    const collection = await collectionId(sql, target.tenantId, target.collection);
    const { rows } = await sql.query<{ id: string }>('SELECT id FROM knowledge_document WHERE collection_id = $1 AND NOT path = ANY($2)', [
      collection,
      paths,
    ]);
    const ids = rows.map(({ id }) => id);
    const sections = await sql.query<{ id: number }>('SELECT id FROM knowledge_section WHERE document_id = ANY($1::uuid[])', [ids]);
    await removeUnits(
      sql,
      spaceOf(collection),
      sections.rows.map(({ id }) => String(id)),
    );
    await sql.query('DELETE FROM knowledge_document WHERE id = ANY($1::uuid[])', [ids]);
    return ids.length;
  });
}

async function knownDocuments(
  sql: Sql,
  collection: number,
  documents: readonly PreparedDocument[],
): Promise<ReadonlyMap<string, KnownDocument>> {
  const { rows } = await sql.query<{ id: string; path: string; hash: string }>(
    'SELECT id, path, hash FROM knowledge_document WHERE collection_id = $1 AND path = ANY($2)',
    [collection, documents.map(({ path }) => path)],
  );
  return new Map(rows.map((row) => [row.path, row]));
}

async function writeDocuments(sql: Sql, collection: number, documents: readonly PreparedDocument[]): Promise<ReadonlyMap<string, string>> {
  const now = new Date().toISOString();
  const rows = documents.map((document) => ({
    path: document.path,
    title: document.title,
    title_en: document.titleEn ?? null,
    domain: document.domain ?? null,
    type: document.type ?? 'public',
    tags: document.tags ?? [],
    source_url: document.sourceUrl ?? null,
    repo_path: document.repoPath ?? null,
    source: document.source ?? null,
    content: document.content,
    hash: document.hash,
    last_updated: document.updated?.toISOString() ?? now,
  }));
  const written = await sql.query<{ id: string; path: string }>(
    `INSERT INTO knowledge_document (collection_id, path, title, title_en, domain, type, tags, source_url, repo_path, source, content, hash, last_updated)
     SELECT $1, path, title, title_en, domain, type, tags, source_url, repo_path, source, content, hash, last_updated
     FROM jsonb_to_recordset($2::jsonb) AS row(path text, title text, title_en text, domain text, type document_type, tags text[],
       source_url text, repo_path text, source text, content text, hash text, last_updated timestamptz)
     ON CONFLICT (collection_id, path) DO UPDATE SET title = excluded.title, title_en = excluded.title_en, domain = excluded.domain,
       type = excluded.type, tags = excluded.tags, source_url = excluded.source_url, repo_path = excluded.repo_path, source = excluded.source,
       content = excluded.content, hash = excluded.hash, last_updated = excluded.last_updated, imported_at = now()
     RETURNING id, path`,
    [collection, JSON.stringify(rows)],
  );
  return new Map(written.rows.map(({ path, id }) => [path, id]));
}

/** Compares sections by hash. An unchanged section is kept and gets its new position. */
async function compareSections(
  sql: Sql,
  documents: readonly (PreparedDocument & { readonly id: string })[],
): Promise<{ readonly kept: number; readonly fresh: readonly WrittenSection[]; readonly gone: readonly number[] }> {
  const { rows } = await sql.query<{ id: number; document_id: string; hash: string }>(
    'SELECT id, document_id, hash FROM knowledge_section WHERE document_id = ANY($1::uuid[]) ORDER BY id',
    [documents.map(({ id }) => id)],
  );
  const old = new Map<string, number[]>();
  for (const { id, document_id, hash } of rows) {
    const key = `${document_id} ${hash}`;
    old.set(key, [...(old.get(key) ?? []), id]);
  }
  const fresh: WrittenSection[] = [];
  const moved: { id: number; position: number }[] = [];
  for (const document of documents) {
    for (const [position, section] of document.sections.entries()) {
      const id = old.get(`${document.id} ${section.hash}`)?.shift();
      if (id === undefined) fresh.push({ document, section, position });
      else moved.push({ id, position });
    }
  }
  await sql.query(
    `UPDATE knowledge_section SET position = moved.position FROM unnest($1::int[], $2::int[]) AS moved(id, position)
     WHERE knowledge_section.id = moved.id AND knowledge_section.position <> moved.position`,
    [moved.map(({ id }) => id), moved.map(({ position }) => position)],
  );
  return { kept: moved.length, fresh, gone: [...old.values()].flat() };
}

async function writeSections(sql: Sql, collection: number, written: readonly WrittenSection[]): Promise<ReadonlyMap<number, string>> {
  if (written.length === 0) return new Map();
  const rows = written.map(({ document, section, position }, number) => ({
    number,
    document_id: document.id,
    position,
    anchor: section.anchor,
    heading_path: section.headingPath,
    title: section.title,
    title_en: section.titleEn ?? null,
    summary: section.summary ?? null,
    key_terms: section.keyTerms ?? [],
    source: section.source ?? null,
    source_url: section.sourceUrl ?? null,
    content: section.content,
    hash: section.hash,
  }));
  // Ids are assigned in the order of the rows, so sorted ids match the rows.
  const { rows: inserted } = await sql.query<{ id: number }>(
    `INSERT INTO knowledge_section (document_id, position, anchor, heading_path, title, title_en, summary, key_terms, source, source_url, content, hash)
     SELECT document_id, position, anchor, heading_path, title, title_en, summary, key_terms, source, source_url, content, hash
     FROM jsonb_to_recordset($1::jsonb) AS row(number int, document_id uuid, position int, anchor text, heading_path text[], title text,
       title_en text, summary text, key_terms text[], source text, source_url text, content text, hash text)
     ORDER BY number RETURNING id`,
    [JSON.stringify(rows)],
  );
  const ids = inserted.map(({ id }) => id).toSorted((a, b) => a - b);
  const units = written.map(({ document, section }, at) => unitOf(ids[at] ?? 0, document, section));
  const unitIds = await putUnits(sql, spaceOf(collection), units);
  return new Map(written.map(({ document, section }, at) => [unitIds.get(String(ids[at])) ?? 0, embeddedText(document, section)]));
}
