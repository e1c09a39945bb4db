import type { CallRecord } from '../record/call-record.js';
import { Sink } from './sink.js';

export type CallChange = Pick<CallRecord, 'jobId' | 'head' | 'state' | 'startedAt' | 'attempts' | 'ending'>;

/** A call whose end this process has heard of. Whoever ended it lists it. */
export interface EndHeard {
  readonly jobId: string;
  readonly state: 'ended elsewhere';
}

/** Jobs that began or ended in this process, and those whose end it heard of. */
export const callSink = new Sink<CallChange | EndHeard>();
