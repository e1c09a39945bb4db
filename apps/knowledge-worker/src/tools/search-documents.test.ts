import { describe, expect, test } from '@jest/globals';
import type { KnowledgeBase } from '#lib/knowledge';
import { caller, found, run, services } from '../test-handlers.js';
import { handleSearchDocuments } from './search-documents.js';

type Documents = KnowledgeBase['documents'];

/** Three documents, and what was asked for each page. */
function library() {
  const asked: Parameters<Documents>[2][] = [];
  const documents: Documents = (_tenant, _query, options) => {
    asked.push(options);
    const all = ['a', 'b', 'c'].map((id) => ({
      document: { id, title: id, collection: 'c', type: 'public', tags: [], lastUpdated: new Date(0) } as const,
      section: found(0.9).section,
    }));
    return Promise.resolve({
      items: all.slice(options.offset, options.offset + options.limit),
      found: 3,
      snapshot: options.snapshot ?? { upTo: 7, lists: [[1, 0.5]] },
    });
  };
  return { asked, given: services({ knowledge: { documents } }) };
}

interface Page {
  readonly items: readonly { readonly document_id: string }[];
  readonly pagination: { readonly has_more: boolean; readonly next_cursor: string | null; readonly total_count: number };
}

async function pageOf(given: ReturnType<typeof services>, input: object, who: object = caller): Promise<Page> {
  const result = await run(handleSearchDocuments, given, input, who);
  if (result.kind !== 'done') throw new Error(JSON.stringify(result));
  return result.data as Page;
}

describe('search_documents', () => {
  test('pages through all documents, and fixes on the first page what the others see', async () => {
    const { asked, given } = library();
    const first = await pageOf(given, { query: 'q', limit: 2 });
    expect(first.pagination).toEqual({ has_more: true, next_cursor: expect.any(String), total_count: 3 });
    const second = await pageOf(given, { query: 'q', limit: 2, cursor: first.pagination.next_cursor });
    expect([...first.items, ...second.items].map(({ document_id }) => document_id)).toEqual(['a', 'b', 'c']);
    expect(second.pagination).toEqual({ has_more: false, next_cursor: null, total_count: 3 });
    expect(asked).toEqual([
      { offset: 0, limit: 2, snapshot: undefined },
      { offset: 2, limit: 2, snapshot: { upTo: 7, lists: [[1, 0.5]] } },
    ]);
  });

  test('may change the size of its pages on the way', async () => {
    const { given } = library();
    const first = await pageOf(given, { query: 'q', limit: 1 });
    const rest = await pageOf(given, { query: 'q', limit: 50, cursor: first.pagination.next_cursor });
    expect(rest.items.map(({ document_id }) => document_id)).toEqual(['b', 'c']);
  });

  test('refuses a cursor of another question, another caller, or nobody', async () => {
    const { given } = library();
    const { next_cursor } = (await pageOf(given, { query: 'q', limit: 1 })).pagination;
    const refused = async (input: object, who: object = caller) => (await run(handleSearchDocuments, given, input, who)).kind;
    expect(await refused({ query: 'q', cursor: next_cursor })).toBe('done');
    expect(await refused({ query: 'other', cursor: next_cursor })).toBe('refused');
    expect(await refused({ query: 'q', cursor: next_cursor }, { ...caller, userId: 'v' })).toBe('refused');
    expect(await refused({ query: 'q', cursor: next_cursor }, { ...caller, tenantId: 'v' })).toBe('refused');
    for (const cursor of ['', 'x', `${next_cursor}x`, `x${next_cursor}`]) expect(await refused({ query: 'q', cursor })).toBe('refused');
  });

  test('names the parameter where the cursor is wrong', async () => {
    const result = await run(handleSearchDocuments, library().given, { query: 'q', cursor: 'x' });
    expect(result).toMatchObject({ kind: 'refused', error: { native_code: 'INVALID_CURSOR', details: [{ path: 'cursor' }] } });
  });
});
