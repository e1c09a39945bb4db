import {
  listMatches,
  Retriever,
  type LabelFilter,
  type Reranker,
  type SearchHit,
  type SearchRequest,
  type SearchResult,
  type Snapshot,
  type SqlPool,
  type VectorIndex,
} from '#lib/retrieval';
import type { DocumentType } from './document.js';
import { loadDocument, loadDocumentFacts, type DocumentFacts, type StoredDocument } from './documents.js';
import { loadSections, type SectionView } from './sections.js';
import { everyTenant, spaceOf, visibleCollections, type CollectionRow } from './spaces.js';

export interface KnowledgeQuery extends Pick<SearchRequest, 'query' | 'limit' | 'legs' | 'ranking' | 'vectorBudgetMs' | 'signal'> {
  /** The tenant that asks. It sees its own collections and the public ones. */
  readonly tenantId: string;
  /** Names of the collections to search. Default: all that the tenant sees. */
  readonly collections?: readonly string[];
  readonly domain?: string | undefined;
  readonly type?: DocumentType | undefined;
  /** Tags that the document must have, all of them, in any case. */
  readonly tags?: readonly string[] | undefined;
}

export interface FoundSection extends Pick<SearchHit, 'confidence' | 'parts'> {
  readonly section: SectionView;
}

export interface FoundSections extends Pick<SearchResult, 'found' | 'warnings' | 'tookMs'> {
  readonly hits: readonly FoundSection[];
}

export interface FoundDocument {
  readonly document: DocumentFacts;
  /** Its best matching section. */
  readonly section: SectionView;
}

export interface DocumentPage {
  readonly items: readonly FoundDocument[];
  readonly found: number;
  readonly snapshot: Snapshot;
}

interface KnowledgeBaseParts {
  readonly pool: SqlPool;
  /** Null searches by keywords alone. */
  readonly vectors: VectorIndex | null;
  readonly reranker?: Reranker | undefined;
}

/** Searches and reads stored documents for the knowledge tools. Every method throws errors of the database. */
export class KnowledgeBase {
  readonly #pool: SqlPool;
  readonly #retriever: Retriever;

  constructor({ pool, vectors, reranker }: KnowledgeBaseParts) {
    this.#pool = pool;
    const textsOf = async (hits: readonly { readonly ref: string }[]): Promise<readonly string[]> => {
      const ids = hits.map(({ ref }) => Number(ref));
      const byId = new Map((await loadSections(pool, ids)).map((section) => [section.id, section]));
      return ids.map((id) => textOf(byId.get(id)));
    };
    this.#retriever = new Retriever({ pool, vectors, reranker: reranker && { model: reranker, textsOf } });
  }

  /** The sections that probably answer a question, most probable first. */
  async search({ tenantId, collections, domain, type, tags, ...request }: KnowledgeQuery): Promise<FoundSections> {
    const visible = await visibleCollections(this.#pool, tenantId, collections);
    const filter = filterOf({ domain, type, tags });
    const result = await this.#retriever.search({ ...request, filter, spaces: visible.map(({ id }) => spaceOf(id)) });
    const sections = new Map(
      (
        await loadSections(
          this.#pool,
          result.hits.map(({ ref }) => Number(ref)),
        )
      ).map((section) => [section.id, section]),
    );
    const hits = result.hits.flatMap(({ ref, confidence, parts }) => {
      const section = sections.get(Number(ref));
      return section ? [{ section, confidence, parts }] : [];
    });
    return { hits, found: result.found, warnings: result.warnings, tookMs: result.tookMs };
  }

  /** A page of the documents that match by keywords. A tenant with own collections searches only those, any other the public ones. */
  async documents(
    tenantId: string,
    query: string,
    { offset, limit, snapshot }: { readonly offset: number; readonly limit: number; readonly snapshot?: Snapshot | undefined },
  ): Promise<DocumentPage> {
    const collections = ownFirst(await visibleCollections(this.#pool, tenantId));
    const page = await listMatches(this.#pool, { spaces: collections.map(({ id }) => spaceOf(id)), query, offset, limit, snapshot });
    const [documents, sections] = await Promise.all([
      loadDocumentFacts(
        this.#pool,
        page.matches.map(({ whole }) => whole),
      ),
      loadSections(
        this.#pool,
        page.matches.map(({ ref }) => Number(ref)),
      ),
    ]);
    const items = page.matches.flatMap(({ whole, ref }) => {
      const document = documents.get(whole);
      const section = sections.find(({ id }) => id === Number(ref));
      return document && section ? [{ document, section }] : [];
    });
    return { items, found: page.found, snapshot: page.snapshot };
  }

  /** The whole document. Null when the tenant cannot see one with this id. */
  document(tenantId: string, id: string): Promise<StoredDocument | null> {
    return loadDocument(this.#pool, tenantId, id);
  }
}

function filterOf({ domain, type, tags = [] }: Pick<KnowledgeQuery, 'domain' | 'type' | 'tags'>): LabelFilter {
  const all = [
    ...(domain ? [`domain:${domain}`] : []),
    ...(type ? [`type:${type}`] : []),
    ...tags.map((tag) => `tag:${tag.toLowerCase()}`),
  ];
  return all.length > 0 ? { all } : {};
}

function ownFirst(collections: readonly CollectionRow[]): readonly CollectionRow[] {
  const own = collections.filter(({ tenantId }) => tenantId !== everyTenant);
  return own.length > 0 ? own : collections;
}

function textOf(section: SectionView | undefined): string {
  return section ? [section.title, section.titleEn, section.summary, section.content].filter(Boolean).join('\n') : '';
}
