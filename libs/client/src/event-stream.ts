// Event streams of calls, followed to their end over as many connections as it takes.
import type { Envelope } from '#lib/contracts';
import { errorOf, InvoqError, lost } from './invoq-error.js';
import { pause } from './retrying.js';
import { readServerSentEvents } from './server-sent-events.js';
import type { Transport, Wanted } from './transport.js';
import type { StreamEvent } from './wire.js';

const reconnects = 8;
const reconnectMs = 300;

/** Every event of a call once and in order. A cut connection is taken up again after the last event; nothing runs twice. */
export async function* followEvents(transport: Transport, path: string, wanted: Wanted): AsyncGenerator<StreamEvent, void> {
  let lastId: string | null = null;
  for (let cuts = 0; ; cuts++) {
    try {
      for await (const event of connect(transport, path, { wanted, lastId })) {
        lastId = event.id;
        cuts = 0;
        yield event;
        if (event.event === 'tool_result' || event.event === 'tool_error') return;
      }
      throw lost(new Error('the stream ended early'));
    } catch (error) {
      const isCut = error instanceof InvoqError && error.code === 'NETWORK_ERROR' && error.status === 0;
      // Before its first event a call may have been made or not: only the caller knows whether to make it again.
      if (!isCut || lastId === null || cuts >= reconnects || wanted.signal?.aborted) throw error;
      await pause(reconnectMs * (cuts + 1), wanted.signal);
    }
  }
}

async function* connect(
  transport: Transport,
  path: string,
  { wanted, lastId }: { readonly wanted: Wanted; readonly lastId: string | null },
): AsyncGenerator<StreamEvent, void> {
  const headers = { ...wanted.headers, accept: 'text/event-stream', ...(lastId !== null && { 'last-event-id': lastId }) };
  const response = await transport.send(path, { ...wanted, headers });
  if (response.status === 204)
    throw new InvoqError({ code: 'RESOURCE_NOT_FOUND', message: 'The events of this call are gone', retryable: false }, { status: 204 });
  if (!response.ok || !response.body) {
    const envelope: Envelope = JSON.parse(await response.text());
    throw errorOf(envelope, response.status);
  }
  try {
    for await (const { event, id, data } of readServerSentEvents(response.body)) {
      const parsed: StreamEvent['data'] = JSON.parse(data);
      yield* asEvent(event, id, parsed);
    }
  } catch (error) {
    throw wanted.signal?.aborted ? error : lost(error);
  }
}

/** Kinds of events that a later gateway adds are passed over. */
function asEvent(event: string, id: string, data: StreamEvent['data']): StreamEvent[] {
  if (event === 'tool_progress' && 'progress' in data) return [{ event, id, data }];
  if (event === 'tool_retrying' && 'retry_count' in data) return [{ event, id, data }];
  if ((event === 'tool_result' || event === 'tool_error') && 'success' in data) return [{ event, id, data }];
  return [];
}
