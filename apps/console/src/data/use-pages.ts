import { useInfiniteQuery } from '@tanstack/react-query';

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
