import type { Rest } from '#lib/contracts';
import type { Call, Resting } from '../calls/call.js';
import { jobLinks } from './links.js';

/** A rest as every door tells it. */
export function shownRest({ reason, since, until, inputRequest, pause, flow }: Rest) {
  return {
    reason,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    ...(inputRequest !== undefined && { input_request: inputRequest }),
    ...(pause && { pause: { name: pause.name, reason: pause.why } }),
    ...(flow && { flow }),
  };
}

export type Accepted = ReturnType<typeof acceptedOf>;

/** A call that goes on without its caller: where it is found, and what it rests for, if it does. */
export function acceptedOf({ jobId, toolName, traceId }: Pick<Call, 'jobId' | 'toolName' | 'traceId'>, resting: Resting | null) {
  return {
    job_id: jobId ?? '',
    state: resting ? 'resting' : 'waiting',
    ...(resting && { rest: shownRest(resting.rest) }),
    tool_name: toolName,
    trace_id: traceId,
    links: jobLinks(jobId ?? ''),
  } as const;
}
