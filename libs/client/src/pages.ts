import { InvoqError } from './invoq-error.js';
import type { ToolResult } from './call-request.js';

/** Items a page, the most that tools with pages give. */
const pageSize = 100;

export interface PageOptions {
  /** Stops after this many items. Default 1,000. */
  readonly maxItems?: number;
}

interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
}

/**
 * Items of a tool that answers in pages, as they arrive (TU-96). The first page is asked for without a cursor (C-81).
 * @param fetchPage calls the tool with its parameters and these. What it throws ends the reading.
 */
export async function* readItems(
  fetchPage: (page: { readonly limit: number; readonly cursor?: string }) => Promise<ToolResult<unknown>>,
  { maxItems = 1_000 }: PageOptions,
): AsyncGenerator<unknown, void> {
  let given = 0;
  const seen = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null && given < maxItems;) {
    const result: ToolResult<unknown> = await fetchPage({ limit: pageSize, ...(cursor !== undefined && { cursor }) });
    const page = pageOf(result);
    yield* page.items.slice(0, maxItems - given);
    given += page.items.length;
    cursor = page.nextCursor;
    // Otherwise pages without items would be asked for for ever.
    if (cursor !== null && seen.has(cursor)) throw fault(result, `repeats the cursor ${cursor}`);
    if (cursor !== null) seen.add(cursor);
  }
}

function pageOf(result: ToolResult<unknown>): Page {
  const data: Partial<{ items: unknown; pagination: Partial<{ has_more: unknown; next_cursor: unknown }> | null }> | null | undefined =
    typeof result.data === 'object' ? result.data : null;
  if (!data || !Array.isArray(data.items) || !data.pagination) throw fault(result, 'does not answer in pages');
  const { has_more, next_cursor } = data.pagination;
  return { items: data.items, nextCursor: has_more === true && typeof next_cursor === 'string' ? next_cursor : null };
}

function fault({ metadata }: ToolResult<unknown>, what: string): InvoqError {
  const message = `${metadata.tool_name} ${what}`;
  return new InvoqError({ code: 'EXECUTION_ERROR', message, retryable: false }, { status: 200 });
}
