import { Named } from './named.js';
import type { NewPause, Pause, PauseList } from './pause-wire.js';
import type { Requests } from './requests.js';

/** Calls that wait, or are refused, until somebody ends it with `delete`. The key needs the scope `tenant:admin`. */
export class Pauses extends Named<Pause, NewPause, PauseList> {
  constructor(requests: Requests) {
    super(requests, 'pauses');
  }
}
