import { requestParts, type RequestOptions } from './call-request.js';
import type { OpenFilter } from './filters.js';
import type { Requests } from './requests.js';

/** Cancels all of the caller's own calls that have not ended and meet each filter. @returns how many */
export async function cancelOpen({ transport }: Requests, filter: OpenFilter, options: RequestOptions): Promise<number> {
  let cancelled = 0;
  // A request looks at so many, the newest first, and says where it stopped.
  for (let to = filter.to; ;) {
    const body = { ...filter, ...(to !== undefined && { to }) };
    const request = { method: 'POST', body, ...requestParts(options) } as const;
    const done = await transport.json<{ cancelled: number; next_to: string | null }>('jobs/cancel', request);
    cancelled += done.cancelled;
    if (done.next_to === null) return cancelled;
    to = done.next_to;
  }
}

/** How many of them there are. */
export async function countOpen({ transport }: Requests, filter: OpenFilter, options: RequestOptions): Promise<number> {
  const request = { method: 'POST', body: filter, ...requestParts(options) } as const;
  return (await transport.json<{ count: number }>('jobs/cancel?dry_run=true', request)).count;
}
