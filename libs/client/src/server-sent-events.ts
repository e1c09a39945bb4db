// The one parser of `text/event-stream` in this project (WHATWG HTML, section 9.2).
import { createParser } from 'eventsource-parser';

/** One dispatched event. */
export interface ServerSentEvent {
  /** `message` where the stream named none. */
  readonly event: string;
  /** The last id that the stream gave: an event without one of its own inherits it. Empty before the first. */
  readonly id: string;
  /** The lines of its data, joined by line feeds. */
  readonly data: string;
}

export interface ServerSentEventListener {
  /** Called for lines that begin with a colon, which servers send to keep a connection open. */
  readonly onComment?: (comment: string) => void;
  /** Called with the delay before a reconnection that the server asks for, in ms. */
  readonly onRetry?: (ms: number) => void;
}

/**
 * Reads the events of a stream, whatever the boundaries of its chunks. An unfinished event at the end is dropped, as the standard
 * demands. Leaving the loop early cancels the stream. Throws what reading the stream throws.
 */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  listener: ServerSentEventListener = {},
): AsyncGenerator<ServerSentEvent, void> {
  const arrived: ServerSentEvent[] = [];
  let lastId = '';
  const parser = createParser({
    ...listener,
    // Called before onEvent, and for blocks without data too.
    onId: (id) => {
      lastId = id;
    },
    onEvent: ({ event, data }) => {
      arrived.push({ event: event || 'message', id: lastId, data });
    },
  });
  // The parser removes the byte order mark.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } finally {
    // Fails where the stream has failed already.
    await reader.cancel().catch(() => undefined);
  }
}
