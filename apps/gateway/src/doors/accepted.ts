import { toShownRest } from '#lib/contracts';
import type { Call, Resting } from '../calls/call.js';
import { jobLinks } from '../http/job-links.js';

export type Accepted = ReturnType<typeof acceptedOf>;

/** A call that goes on without its caller: where it is found, and what it rests for, if it does. */
export function acceptedOf({ jobId, toolName, traceId }: Pick<Call, 'jobId' | 'toolName' | 'traceId'>, resting: Resting | null) {
  return {
    job_id: jobId ?? '',
    state: resting ? 'resting' : 'waiting',
    ...(resting && { rest: toShownRest(resting.rest) }),
    tool_name: toolName,
    trace_id: traceId,
    links: jobLinks(jobId ?? ''),
  } as const;
}
