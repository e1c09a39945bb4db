import { useInfiniteQuery } from '@tanstack/react-query';
import { beginOf, type Window } from '../language/windows.js';

interface Page {
  readonly pagination: { readonly next_cursor: string | null };
}

interface Reading<Given extends Page> {
  readonly key: readonly unknown[];
  /** A page after a cursor. */
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<Given>;
  /** Reads what is shown again; see `useWhileTouched`. */
  readonly everyMs?: number | false;
}

/** A list that the gateway gives in pages. */
export function usePages<Given extends Page>({ key, read, everyMs = false }: Reading<Given>) {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: first,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
    refetchInterval: everyMs,
  });
}

const first: string | undefined = undefined;

interface TimedReading<Given extends Page> {
  readonly key: readonly unknown[];
  /** How far back it reads; all that there is where it is undefined. */
  readonly window: Window | undefined;
  readonly read: (place: Place, signal: AbortSignal) => Promise<Given>;
  readonly everyMs?: number | false;
  /** Whether what has just ended may come a moment later: then it is read again, a few times and ever later. */
  readonly settles?: boolean;
}

/** Where a page begins. All pages of a list have one `from`: a cursor is good for the query that it came from. */
interface Place {
  readonly from?: string | undefined;
  readonly cursor?: string | undefined;
}

/** The same for a list of the time before now. What is shown stays while another window is read. */
export function useTimedPages<Given extends Page>({ key, window, read, everyMs = false, settles = false }: TimedReading<Given>) {
  return useInfiniteQuery({
    queryKey: [...key, window],
    queryFn: async ({ pageParam, signal }) => {
      const from = 'cursor' in pageParam ? pageParam.from : window && beginOf(window, Date.now());
      return { ...(await read({ ...pageParam, from }, signal)), askedFrom: from };
    },
    initialPageParam: newest,
    getNextPageParam: ({ pagination, askedFrom }): Place | undefined =>
      pagination.next_cursor === null ? undefined : { from: askedFrom, cursor: pagination.next_cursor },
    placeholderData: (before) => before,
    refetchInterval: ({ state: { dataUpdateCount: times } }) =>
      settles && times <= mostSettling ? firstSettlingMs * 2 ** Math.max(0, times - 1) : everyMs,
  });
}

const newest: Place = {};
const firstSettlingMs = 2_000;
const mostSettling = 5;
