import { Failure } from '#lib/handlers';

/** Of a list that has no end, or repeats itself. */
const mostPages = 2_000;

/** None for the first page. */
export type PageParams = { readonly cursor?: string };

/** A page as it came: whether its entries are a list is not known. */
export interface Page {
  readonly entries: unknown;
  readonly nextCursor: string | undefined;
}

interface Asking {
  readonly signal: AbortSignal;
  /** Entries that are read. */
  readonly most: number;
  readonly page: (params: PageParams) => Promise<Page>;
}

/**
 * A list that a server gives in pages, up to a number of entries.
 * @returns `isCut` where there is more of it
 * @throws Failure of the kind `service` for what is no list
 */
export async function allPages({ signal, most, page }: Asking): Promise<{ readonly entries: readonly unknown[]; readonly isCut: boolean }> {
  const all: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    signal.throwIfAborted();
    const { entries, nextCursor } = await page(cursor === undefined ? {} : { cursor });
    if (!Array.isArray(entries)) throw new Failure('service', 'its list is no list');
    for (const entry of entries.slice(0, most + 1)) all.push(entry);
    // A server that names the same page again has no other.
    cursor = nextCursor === undefined || seen.has(nextCursor) ? undefined : nextCursor;
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined && all.length < most && seen.size < mostPages);
  return { entries: all.slice(0, most), isCut: all.length > most || cursor !== undefined };
}
