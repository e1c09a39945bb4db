// Turns the log of a chat turn into the six documented events of the agent (VL-05), for `GET /jobs/{id}/events?format=agent`.
import { parseAgentOutput, type AgentEvent } from '../agent/agent-output.js';
import type { Outcome } from '../envelope.js';
import type { LoggedEvent } from '../events.js';
import { eventId, type ServerSentEvent } from './tool-events.js';

/** The event of a log entry. Null for entries that have none. */
export function toAgentEvent(jobId: string, entry: LoggedEvent): ServerSentEvent | null {
  if (entry.kind !== 'output') return null;
  const output = parseAgentOutput(entry.data);
  if (output.type === 'step' || output.type === 'tool_rest') return null;
  const id = eventId(jobId, entry.seq);
  if (output.type !== 'tool_result') return sent(id, output);
  const { job_id: _job, result_id: _result, declined: _declined, ...documented } = output;
  return sent(id, documented);
}

/** The last event of a turn: either `done` or `error`. */
export function toAgentEnd(id: string, outcome: Outcome): ServerSentEvent {
  if (!outcome.ok) return sent(id, { type: 'error', error: outcome.error.message });
  return sent(id, { type: 'done', content: textOf(outcome.data) });
}

function sent(id: string, { type, ...data }: AgentEvent): ServerSentEvent {
  return { event: type, id, data };
}

function textOf(data: unknown): string {
  return typeof data === 'object' && data !== null && 'content' in data && typeof data.content === 'string' ? data.content : '';
}
