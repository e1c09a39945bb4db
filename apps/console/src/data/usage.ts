// Calls that have ended, summed by the gateway.
import { useQuery } from '@tanstack/react-query';
import type { CallSum, CallSumsFilter } from '#lib/client';
import { invoq } from './gateway.js';

const pageSize = 1_000;
/** Rows beyond are left out, and it is told. */
const mostPages = 20;

export interface Sums {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly CallSum[];
  /** Whether there were more rows than are read. */
  readonly isCut: boolean;
}

/** All rows that meet a filter. */
export async function readSums(filter: CallSumsFilter, signal?: AbortSignal): Promise<Sums> {
  const rows: CallSum[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const { from, to, sums, pagination } = await invoq.callSums({ ...filter, cursor, limit: pageSize }, signal ? { signal } : {});
    rows.push(...sums);
    if (pagination.next_cursor === null) return { from, to, rows, isCut: false };
    cursor = pagination.next_cursor;
  }
  return { from: filter.from ?? '', to: filter.to ?? '', rows, isCut: true };
}

export function useSums(filter: CallSumsFilter) {
  return useQuery({
    queryKey: ['usage', 'sums', filter],
    queryFn: ({ signal }) => readSums(filter, signal),
    placeholderData: (before) => before,
  });
}
