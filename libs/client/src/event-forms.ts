// The two forms in which the gateway tells the events of a job.
import type { EventForm } from './event-stream.js';
import type { ServerSentEvent } from './server-sent-events.js';
import type { AgentEvent, StreamEvent } from './call-wire.js';

/** Events of any tool; kinds that a later gateway adds are skipped. */
export const toolEvents: EventForm<StreamEvent> = {
  parse(frame) {
    const { event, id } = frame;
    switch (event) {
      case 'tool_progress':
        return { event, id, data: dataOf(frame) };
      case 'tool_retrying':
        return { event, id, data: dataOf(frame) };
      case 'tool_resting':
        return { event, id, data: dataOf(frame) };
      case 'tool_resumed':
        return { event, id, data: dataOf(frame) };
      case 'tool_result':
      case 'tool_error':
        return { event, id, data: dataOf(frame) };
      default:
        return null;
    }
  },
  isLast: ({ event }) => event === 'tool_result' || event === 'tool_error',
};

const agentEventTypes: readonly string[] = [
  'thinking',
  'content',
  'tool_call',
  'tool_result',
  'done',
  'error',
] satisfies AgentEvent['type'][];

/** The six events of an agent's turn (VL-05); their type is the name of the frame. */
export const agentEvents: EventForm<AgentEvent> = {
  parse: (frame) => (agentEventTypes.includes(frame.event) ? dataOf({ ...frame }, { type: frame.event }) : null),
  isLast: ({ type }) => type === 'done' || type === 'error',
};

/** The data is typed by the gateway's wire contract, and not checked again. Throws when it is no JSON object. */
function dataOf<Data extends object>({ id, data }: ServerSentEvent, extra?: { readonly type: string }): Data {
  const parsed: Data | null = JSON.parse(data);
  if (typeof parsed !== 'object' || parsed === null) throw new TypeError(`the data of the event ${id} is no JSON object`);
  return { ...parsed, ...extra };
}
