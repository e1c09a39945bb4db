import type { Flow, FlowList, NewFlow } from './flow-wire.js';
import { Named } from './named.js';
import type { Requests } from './requests.js';

/** How many calls with one key run at a time, or begin in a time: the others wait in its line. The key needs the scope `tenant:admin`. */
export class Flows extends Named<Flow, NewFlow, FlowList> {
  constructor(requests: Requests) {
    super(requests, 'flows');
  }
}
