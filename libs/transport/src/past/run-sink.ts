import type { InvocationRecord } from '../record/invocation-record.js';
import { Sink } from './sink.js';

export type RunRecord = Pick<InvocationRecord, 'jobId' | 'head' | 'state' | 'startedAt' | 'runs' | 'ending'>;

/** A run whose end this process has heard of. Whoever ended it lists it. */
export interface EndHeard {
  readonly jobId: string;
  readonly state: 'ended elsewhere';
}

/** Jobs that began or ended in this process, and those whose end it heard of. */
export const runSink = new Sink<RunRecord | EndHeard>();
