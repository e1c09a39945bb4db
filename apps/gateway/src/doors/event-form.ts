import {
  entryIn,
  eventId,
  Refusal,
  toAgentEnd,
  toAgentEvent,
  toEndEvent,
  toToolEvent,
  type Language,
  type LoggedEvent,
  type ServerSentEvent,
} from '#lib/contracts';
import type { Call, CallEvent } from '../calls/call.js';
import { envelopeOf, type Answer } from '../calls/answer.js';
import { answerIn } from '../http/language.js';

/** How the entries of a log are sent: as the events of the Tool Use document, or as a tool's own. */
export interface EventForm {
  /** Null for an entry that has no event in this form. */
  readonly of: (entry: Exclude<LoggedEvent, { kind: 'end' }>, facts: Parameters<typeof toToolEvent>[1]) => ServerSentEvent | null;
  readonly end: (id: string, answer: Answer) => ServerSentEvent;
}

export const toolForm: EventForm = {
  of: (entry, facts) => (entry.kind === 'output' ? null : toToolEvent(entry, facts)),
  end: (id, answer) => toEndEvent(id, envelopeOf(answer)),
};

/** The six events of the VibeLife agent (VL-05). */
const agentForm: EventForm = {
  of: (entry, { jobId }) => toAgentEvent(jobId, entry),
  end: (id, { outcome }) => toAgentEnd(id, outcome),
};

/** The form that `?format=` asks for: `agent` for a chat turn. Throws INVALID_PARAMS for any other. */
export function eventFormOf(format: unknown, toolName: string): EventForm {
  if (format === undefined) return toolForm;
  if (format === 'agent' && toolName === 'chat_turn') return agentForm;
  const message = "Parameter 'format' must be left out, or be agent for a chat turn";
  throw new Refusal('INVALID_PARAMS', message, { details: [{ path: 'format', message }] });
}

/** The event of a log entry, in the language of its reader; null for an entry that has none in this form. */
export function toEvent(
  form: EventForm,
  call: Pick<Call, 'eventScope' | 'toolName' | 'traceId'>,
  { entry, language }: { readonly entry: CallEvent; readonly language: Language },
): ServerSentEvent | null {
  const { eventScope: jobId, toolName, traceId } = call;
  if (entry.kind === 'end') return form.end(eventId(jobId, entry.seq), answerIn(language, entry.answer));
  return form.of(entryIn(language, entry), { jobId, toolName, traceId });
}
