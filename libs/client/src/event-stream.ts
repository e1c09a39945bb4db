// Event streams of calls and jobs, followed to their end over as many connections as it takes.
import { connectionLost, InvoqError } from './invoq-error.js';
import { pause } from './retrying.js';
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.js';
import type { RequestParts, Transport } from './transport.js';

/** Connections in a row that bring no event. */
const maxReconnects = 8;
const reconnectMs = 300;

/** What the frames of a stream mean. */
export interface EventForm<Event> {
  /** The event of a frame; null for a kind that this client does not know. Throws for data that is no JSON object. */
  readonly parse: (frame: ServerSentEvent) => Event | null;
  /** True for the last event of the stream. */
  readonly isLast: (event: Event) => boolean;
}

export interface StreamRequest extends RequestParts {
  readonly path: string;
  /** The id after which the stream begins. */
  readonly after?: string | undefined;
}

/**
 * Every event of a stream once and in order. A cut connection is taken up again after the last event; nothing runs twice.
 * A call that was cut before its first event is not sent again: only the caller knows whether it may run twice.
 */
export async function* followEvents<Event>(
  transport: Transport,
  request: StreamRequest,
  form: EventForm<Event>,
): AsyncGenerator<Event, void> {
  let lastId = request.after;
  for (let cuts = 0; ; cuts++) {
    try {
      for await (const frame of connect(transport, request, lastId)) {
        const event = form.parse(frame);
        if (frame.id !== '') lastId = frame.id;
        cuts = 0;
        if (event === null) continue;
        yield event;
        if (form.isLast(event)) return;
      }
      throw new TypeError('the stream ended before its last event');
    } catch (error) {
      const failure = error instanceof InvoqError || request.signal?.aborted ? error : connectionLost(error);
      const isResumable = lastId !== undefined || (request.method ?? 'GET') === 'GET';
      const isTransient = failure instanceof InvoqError && failure.retryable;
      if (!isResumable || !isTransient || cuts >= maxReconnects || request.signal?.aborted) throw failure;
      await pause(Math.max(failure.retryAfterMs ?? 0, reconnectMs * (cuts + 1)), request.signal);
    }
  }
}

async function* connect(
  transport: Transport,
  { path, after: _after, ...request }: StreamRequest,
  lastId: string | undefined,
): AsyncGenerator<ServerSentEvent, void> {
  const headers = { ...request.headers, accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
  const response = await transport.send(path, { ...request, headers });
  if (response.status === 204)
    throw new InvoqError(
      { code: 'RESOURCE_NOT_FOUND', message: 'There are no more events of this call', retryable: false },
      { status: response.status },
    );
  if (!response.ok || !response.body) throw await transport.refusal(response, request.signal);
  yield* readServerSentEvents(response.body);
}
