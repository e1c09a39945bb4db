// Endless event streams: taken up again after the last event for as long as the page is open.
import { InvoqError, readServerSentEvents, type ServerSentEvent } from '#lib/client';
import { gateway } from './gateway.js';
import { noticeError } from './queries.js';

/** `connecting` also after a cut, while the stream is taken up again. */
export type FeedState = 'connecting' | 'live' | 'failed';

export interface FeedListener {
  readonly onEvent: (event: ServerSentEvent) => void;
  readonly onState: (state: FeedState, error: unknown) => void;
}

const reconnectMs = 1_000;
const longestReconnectMs = 10_000;

/** Follows a stream until the signal fires or the gateway refuses it. Nothing is lost or doubled by a cut that the gateway's log covers. */
export async function followFeed(path: string, signal: AbortSignal, { onEvent, onState }: FeedListener): Promise<void> {
  let lastId = '';
  for (let cuts = 0; !signal.aborted; cuts++) {
    onState('connecting', null);
    try {
      const headers = { accept: 'text/event-stream', ...(lastId !== '' && { 'last-event-id': lastId }) };
      const response = await gateway.send(path, { headers, signal });
      if (!response.ok || !response.body) throw await gateway.refusal(response, signal);
      onState('live', null);
      for await (const event of readServerSentEvents(response.body)) {
        cuts = 0;
        if (event.id !== '') lastId = event.id;
        onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof InvoqError && !error.retryable) {
        noticeError(error);
        onState('failed', error);
        return;
      }
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
