import type { Sql } from '#lib/retrieval';
import { isPublicUrl, isRepositoryPath, withoutPrivateAddresses } from './public-addresses.js';
import type { DocumentType } from './document.js';

/** A section with the metadata of its document. It contains nothing that must not leave the installation. */
export interface SectionView {
  readonly id: number;
  readonly documentId: string;
  readonly collection: string;
  readonly page: string;
  readonly path: string;
  readonly type: DocumentType;
  readonly tags: readonly string[];
  readonly lastUpdated: Date;
  readonly anchor: string | null;
  readonly headingPath: readonly string[];
  readonly title: string;
  readonly titleEn: string | null;
  readonly summary: string | null;
  readonly keyTerms: readonly string[];
  readonly content: string;
  /** Organisation, title and year, else the title of the page. */
  readonly source: string;
  /** A public URL or a path of the repository, with the section's anchor. Null when there is neither. */
  readonly link: string | null;
}

interface SectionRow {
  id: number;
  document_id: string;
  collection: string;
  page: string;
  path: string;
  type: DocumentType;
  tags: string[];
  last_updated: Date;
  anchor: string | null;
  heading_path: string[];
  title: string;
  title_en: string | null;
  summary: string | null;
  key_terms: string[];
  content: string;
  section_source: string | null;
  document_source: string | null;
  section_url: string | null;
  document_url: string | null;
  repo_path: string | null;
}

/** Sections by id, in the order of the ids. Deleted ones are left out. */
export async function loadSections(sql: Sql, ids: readonly number[]): Promise<readonly SectionView[]> {
  const { rows } = await sql.query<SectionRow>(
    `SELECT s.id, s.document_id, c.name AS collection, d.title AS page, d.path, d.type, d.tags, d.last_updated, s.anchor, s.heading_path,
       s.title, s.title_en, s.summary, s.key_terms, s.content, s.source AS section_source, d.source AS document_source,
       s.source_url AS section_url, d.source_url AS document_url, d.repo_path
     FROM knowledge_section s JOIN knowledge_document d ON d.id = s.document_id JOIN knowledge_collection c ON c.id = d.collection_id
     WHERE s.id = ANY($1)`,
    [ids],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids
    .map((id) => byId.get(id))
    .filter((row) => row !== undefined)
    .map(toView);
}

/** Private addresses are removed at import and here again, because a row may be older than the present rules. */
function toView(row: SectionRow): SectionView {
  return {
    id: row.id,
    documentId: row.document_id,
    collection: row.collection,
    page: row.page,
    path: withoutPrivateAddresses(row.path),
    type: row.type,
    tags: row.tags,
    lastUpdated: row.last_updated,
    anchor: row.anchor,
    headingPath: row.heading_path,
    title: withoutPrivateAddresses(row.title),
    titleEn: row.title_en,
    summary: row.summary && withoutPrivateAddresses(row.summary),
    keyTerms: row.key_terms,
    content: withoutPrivateAddresses(row.content),
    source: withoutPrivateAddresses(row.section_source ?? row.document_source ?? row.page),
    link: linkOf(row),
  };
}

function linkOf({ type, section_url, document_url, repo_path, anchor }: SectionRow): string | null {
  const url = [section_url, document_url].find((one) => one !== null && isPublicUrl(one)) ?? null;
  const path = repo_path !== null && isRepositoryPath(repo_path) ? repo_path : null;
  // An internal page links to the repository first, even if it names a public source.
  const place = type === 'internal' ? (path ?? url) : (url ?? path);
  if (place === null || anchor === null || place.includes('#')) return place;
  return `${place}#${encodeURI(anchor)}`;
}
