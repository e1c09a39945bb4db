import { principal, searchDocuments } from '#lib/contracts';
import { highlight } from '#lib/retrieval';
import { handle } from '../services.js';

export const handleSearchDocuments = handle(
  searchDocuments,
  async ({ query, limit, cursor }, { knowledge, metrics, cursors, caller, network, error }) => {
    // A cursor is valid for one caller and one query. The page size may change.
    const binding = JSON.stringify(['search_documents', principal(caller), query]);
    const place = cursor === undefined ? null : cursors.open(cursor, binding);
    if (cursor !== undefined && !place) {
      const message = "Parameter 'cursor' must be the next_cursor of a page of the same query";
      throw error('INVALID_CURSOR', message, { details: [{ path: 'cursor', message }] });
    }
    const started = performance.now();
    const offset = place?.offset ?? 0;
    const page = await network(() =>
      knowledge.documents(caller.tenantId, query, {
        offset,
        limit,
        snapshot: place ? { upTo: place.upTo, lists: place.lists } : undefined,
      }),
    );
    metrics.retrievalSeconds.observe({ tool: 'search_documents' }, (performance.now() - started) / 1_000);
    const next = offset + limit;
    const hasMore = next < page.found;
    const { upTo, lists } = page.snapshot;
    return {
      items: page.items.map(({ document, section }) => ({
        document_id: document.id,
        title: document.title,
        collection: document.collection,
        section: section.title,
        snippet: highlight(section.content, query).snippet,
        ...(section.link !== null && { link: section.link }),
        tags: [...document.tags],
        last_updated: document.lastUpdated.toISOString(),
      })),
      pagination: {
        has_more: hasMore,
        next_cursor: hasMore ? cursors.seal({ offset: next, upTo, lists: lists.map(([id, weight]) => [id, weight]) }, binding) : null,
        total_count: page.found,
      },
    };
  },
);
