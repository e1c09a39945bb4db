import type { RequestOptions } from './call-request.js';
import type { Flow, FlowList, NewFlow, WaitingLineFilters, WaitingLineList } from './flow-wire.js';
import { Named } from './named.js';
import type { Requests } from './requests.js';

/** How many calls with one key run at a time, or begin in a time: the others wait in its line. The key needs the scope `tenant:admin`. */
export class Flows extends Named<Flow, NewFlow, FlowList> {
  constructor(requests: Requests) {
    super(requests, 'flows');
  }

  /** The lines in which calls wait now, the longest first. */
  async lines(filters: WaitingLineFilters = {}, options: RequestOptions = {}): Promise<WaitingLineList> {
    const { flow, limit } = filters;
    const query = new URLSearchParams({
      ...(flow !== undefined && { flow }),
      ...(limit !== undefined && { limit: String(limit) }),
    }).toString();
    return this.requests.get<WaitingLineList>(`flow-lines${query && `?${query}`}`, options);
  }
}
