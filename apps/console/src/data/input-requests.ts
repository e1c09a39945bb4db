// What people are asked while calls rest. The gateway pushes no list of them, so the count is asked for now and then.
import { useQuery } from '@tanstack/react-query';
import type { InputRequest } from '#lib/client';
import type { ConsoleSession } from '#lib/contracts';
import { invoq } from './gateway.js';
import { queries } from './queries.js';
import { mayUse, principalOf, useSession } from './session.js';
import { useWhileTouched } from './while-touched.js';

export const requestsKey = 'input-requests';
/** How often what waits is asked for. */
export const everyMs = 20_000;
/** The most that one request counts. */
const mostCounted = 100;

/** Whether somebody may decide on a request, as far as a page can know: some policies let callers approve their own calls. */
export function mayDecide(request: Pick<InputRequest, 'kind' | 'requested_by'>, session: ConsoleSession): boolean {
  const isOwn = request.requested_by === principalOf(session);
  return request.kind === 'approval' ? mayUse(session, 'approvals') && !isOwn : isOwn;
}

/** How many requests whoever is signed in may decide on, such as `3` or `100+`. */
export function useOpenRequests(): { readonly count: string } {
  const { data: session } = useSession();
  const { data } = useQuery({
    queryKey: [requestsKey, 'count'],
    queryFn: ({ signal }) => invoq.inputRequests.list({ state: 'open', limit: mostCounted, signal }),
    enabled: !!session,
    refetchInterval: useWhileTouched(everyMs),
    refetchOnWindowFocus: true,
  });
  if (!data || !session) return { count: '0' };
  const count = data.input_requests.filter((request) => mayDecide(request, session)).length;
  return { count: data.pagination.has_more && count > 0 ? `${count}+` : String(count) };
}

/** Reads all that is shown of them again. */
export function requestsChanged(): Promise<void> {
  return queries.invalidateQueries({ queryKey: [requestsKey] });
}
