// Reads one event stream without reconnecting: tests decide when to come back.
import { readServerSentEvents, type ServerSentEvent } from '#lib/client';

export interface StreamEvent {
  readonly event: string;
  /** The last id that the stream gave, which an event without one of its own inherits. */
  readonly id: string;
  /** The data parsed as JSON once. */
  readonly data: unknown;
}

const silenceMs = 30_000;

export class EventReader implements AsyncDisposable {
  readonly comments: string[] = [];
  retryMs: number | null = null;
  readonly #response: Response;
  readonly #controller: AbortController;
  readonly #events: AsyncGenerator<ServerSentEvent, void>;

  /** @param controller of the request: aborted to leave the stream, and when an event does not come in time */
  constructor(response: Response, controller: AbortController) {
    if (!response.body) throw new Error('the response has no body to read events from');
    // Held: fetch cancels the body of a response that is garbage-collected before the body is read.
    this.#response = response;
    this.#controller = controller;
    this.#events = readServerSentEvents(response.body, {
      onComment: (comment) => void this.comments.push(comment),
      onRetry: (ms) => {
        this.retryMs = ms;
      },
    });
  }

  get headers(): Headers {
    return this.#response.headers;
  }

  /** The next event; null when the stream has been closed by the other side. Throws when neither comes in time. */
  async next(withinMs = silenceMs): Promise<StreamEvent | null> {
    const timer = setTimeout(() => this.#controller.abort(new Error(`no event within ${withinMs} ms`)), withinMs);
    try {
      const { done, value } = await this.#events.next();
      return done ? null : { ...value, data: JSON.parse(value.data) };
    } finally {
      clearTimeout(timer);
    }
  }

  /** So many events. Throws when the stream closes earlier. */
  async take(count: number): Promise<readonly StreamEvent[]> {
    const taken: StreamEvent[] = [];
    while (taken.length < count) {
      const event = await this.next();
      if (!event) throw new Error(`the stream closed after ${taken.length} of ${count} events`);
      taken.push(event);
    }
    return taken;
  }

  /** Every event until the other side closes. @param withinMs how long it may be silent */
  async rest(withinMs = silenceMs): Promise<readonly StreamEvent[]> {
    const events: StreamEvent[] = [];
    for (let event = await this.next(withinMs); event; event = await this.next(withinMs)) events.push(event);
    return events;
  }

  /** Cuts the connection. */
  close(): void {
    this.#controller.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#events.return().catch(() => undefined);
  }
}
