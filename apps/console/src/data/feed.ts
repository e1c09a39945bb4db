// Event streams: taken up again after the last event for as long as the page is open, or until the event that ends them.
import { InvoqError, readServerSentEvents, type ServerSentEvent } from '#lib/client';
import { heard } from './contact.js';
import { gateway } from './gateway.js';
import { noticeError } from './queries.js';
import { untilSilent } from './until-silent.js';

/** `lost` after a cut, while the stream is taken up again; `ended` after its last event; `failed` when the gateway refuses it. */
export type FeedState = 'connecting' | 'live' | 'lost' | 'ended' | 'failed';

export interface FeedListener {
  /** For a stream that says something at least so often, in ms: silent for longer, it is taken up anew. */
  readonly silentMs?: number;
  /** Whether an event is the last one; an endless stream has none. */
  readonly isLast?: (event: ServerSentEvent) => boolean;
  readonly onEvent: (event: ServerSentEvent) => void;
  readonly onState: (state: FeedState, error: unknown) => void;
}

const reconnectMs = 1_000;
const longestReconnectMs = 10_000;

/** Follows a stream until the signal fires or the gateway refuses it. Nothing is lost or doubled by a cut that the gateway's log covers. */
export async function followFeed(path: string, signal: AbortSignal, { onEvent, onState, isLast, silentMs }: FeedListener): Promise<void> {
  let lastId = '';
  for (let cuts = 0; !signal.aborted; cuts++) {
    onState(cuts === 0 && lastId === '' ? 'connecting' : 'lost', null);
    const attempt = new AbortController();
    const both = AbortSignal.any([signal, attempt.signal]);
    // Also a gateway that hangs takes connections: it is asked again until it answers.
    const patience = silentMs === undefined ? undefined : setTimeout(() => attempt.abort(), silentMs);
    try {
      const headers = { accept: 'text/event-stream', ...(lastId !== '' && { 'last-event-id': lastId }) };
      const response = await gateway.send(path, { headers, signal: both });
      clearTimeout(patience);
      if (!response.ok || !response.body) throw await gateway.refusal(response, both);
      onState('live', null);
      const events = readServerSentEvents(response.body);
      for await (const event of silentMs === undefined ? events : untilSilent(events, silentMs)) {
        cuts = 0;
        heard();
        if (event.id !== '') lastId = event.id;
        onEvent(event);
        if (isLast?.(event)) return onState('ended', null);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof InvoqError && !error.retryable) {
        noticeError(error);
        onState('failed', error);
        return;
      }
    } finally {
      clearTimeout(patience);
      attempt.abort();
    }
    await pause(Math.min(longestReconnectMs, reconnectMs * (cuts + 1)), signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
