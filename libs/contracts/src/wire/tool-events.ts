// Turns log entries into the server-sent events of the Tool Use document (TU-29…36).
import type { AgentEvent } from '../agent/agent-output.js';
import type { CallFacts, Envelope, Outcome } from '../envelope.js';
import type { LoggedEvent } from '../events.js';
import { toEnvelope } from './unified.js';

export interface ServerSentEvent {
  readonly event: 'tool_progress' | 'tool_retrying' | 'tool_resting' | 'tool_resumed' | 'tool_result' | 'tool_error' | AgentEvent['type'];
  readonly id: string;
  /** Sent as one line of JSON, encoded once (C-21). */
  readonly data: unknown;
}

const jobPrefix = 'inv_';

/** The id of an event: `evt_<job>_<number in its log>`. It names the job, so a client can resume with `Last-Event-ID` alone. */
export function eventId(jobId: string, seq: number): string {
  return `evt_${jobId.slice(jobPrefix.length)}_${seq}`;
}

/** The job and the number in an event id. Null for anything else. */
export function parseEventId(id: string): { readonly jobId: string; readonly seq: number } | null {
  const match = /^evt_([a-z0-9-]{1,40}(?:~\d{1,2})?_[0-9a-f]{32})_(\d{1,9})$/.exec(id);
  return match?.[1] && match[2] ? { jobId: jobPrefix + match[1], seq: Number(match[2]) } : null;
}

interface StreamFacts {
  readonly jobId: string;
  readonly toolName: string;
  readonly traceId: string;
}

/** The event of a log entry. Not for `end`, which needs the outcome, and not for `output`, whose format depends on the tool. */
export function toToolEvent(entry: Exclude<LoggedEvent, { kind: 'end' | 'output' }>, facts: StreamFacts): ServerSentEvent {
  const id = eventId(facts.jobId, entry.seq);
  const metadata = { tool_name: facts.toolName, timestamp: new Date(entry.at).toISOString(), trace_id: facts.traceId };
  switch (entry.kind) {
    case 'progress':
      return { event: 'tool_progress', id, data: { progress: entry.progress, message: entry.message, metadata } };
    case 'retry':
      return {
        event: 'tool_retrying',
        id,
        data: { retry_count: entry.retry, max_retries: entry.maxRetries, delay_ms: entry.delayMs, error: entry.error, metadata },
      };
    case 'resting':
      return { event: 'tool_resting', id, data: { ...toldRest(entry), metadata } };
    case 'resumed':
      return { event: 'tool_resumed', id, data: { reason: entry.reason, metadata } };
  }
}

function toldRest({ reason, until, inputRequest, flow }: Extract<LoggedEvent, { kind: 'resting' }>) {
  return {
    reason,
    until: new Date(until).toISOString(),
    ...(inputRequest !== undefined && { input_request: inputRequest }),
    ...(flow && { flow }),
  };
}

/** The last event of a stream, with the whole envelope (TU-33, TU-34). */
export function toEndEvent(id: string, envelope: Envelope): ServerSentEvent {
  return { event: envelope.success ? 'tool_result' : 'tool_error', id, data: envelope };
}

/** The only event of a stream without a job: an answer from the cache, or a refusal. Its id cannot be resumed from. */
export function toSingleEvent(outcome: Outcome, facts: CallFacts): ServerSentEvent {
  return toEndEvent(`evt_${facts.traceId}_${outcome.ok ? 'result' : 'error'}`, toEnvelope(outcome, facts));
}
