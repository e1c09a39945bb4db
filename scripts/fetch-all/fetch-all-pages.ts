import { z } from 'zod';

interface FetchAllOptions {
  /** Of the gateway. */
  readonly url: string;
  readonly key: string;
  readonly tool: string;
  /** Of the tool, without `limit` and `cursor`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Stops after so many. Default 1,000. */
  readonly maxItems?: number;
}

const pageSize = 100;
const pages = z.object({
  success: z.literal(true),
  data: z.object({
    items: z.array(z.unknown()),
    pagination: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
  }),
});
const failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/**
 * All items of a tool that answers in pages, at most `maxItems` (TU-96). The first page is asked for without a cursor (C-81).
 * Throws when a page is an error, naming it.
 */
export async function fetchAllPages({ url, key, tool, parameters, maxItems = 1_000 }: FetchAllOptions): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let cursor: string | null = null;
  do {
    const response = await fetch(`${url}/tools/${encodeURIComponent(tool)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...parameters, limit: pageSize, ...(cursor !== null && { cursor }) }),
    });
    const body: unknown = await response.json();
    const page = pages.safeParse(body);
    if (!page.success) {
      const refused = failure.safeParse(body);
      throw new Error(refused.success ? `${refused.data.error.code}: ${refused.data.error.message}` : `${tool} does not answer in pages`);
    }
    items.push(...page.data.data.items);
    const { has_more, next_cursor } = page.data.data.pagination;
    cursor = has_more ? next_cursor : null;
  } while (cursor !== null && items.length < maxItems);
  return items.slice(0, maxItems);
}
