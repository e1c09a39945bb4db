import type { InvocationRecord } from '../invocation-record.js';
import { Sink } from '../sink.js';

export type RunRecord = Pick<InvocationRecord, 'jobId' | 'head' | 'state' | 'startedAt' | 'runs' | 'ending'>;

/** Jobs that began or ended in this process. */
export const runSink = new Sink<RunRecord>();
