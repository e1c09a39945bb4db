// Reads `text/event-stream` by the rules of the WHATWG, without reconnecting: tests decide when to come back.

export interface StreamEvent {
  readonly event: string;
  /** The last id that the stream gave, which an event without one of its own inherits. */
  readonly id: string;
  /** The data parsed as JSON once. */
  readonly data: unknown;
}

const patienceMs = 30_000;

export class EventReader implements AsyncDisposable {
  readonly headers: Headers;
  readonly comments: string[] = [];
  retryMs: number | null = null;
  readonly #controller: AbortController;
  readonly #events: AsyncIterator<StreamEvent>;

  constructor(headers: Headers, body: ReadableStream<Uint8Array>, controller: AbortController) {
    this.headers = headers;
    this.#controller = controller;
    // Piped at once: the body of a response that nobody holds and nobody reads is cancelled when memory is swept.
    this.#events = this.#parse(body.pipeThrough(new TextDecoderStream()));
  }

  /** The next event; null when the stream has been closed by the other side. Throws when neither comes in time. */
  async next(withinMs = patienceMs): Promise<StreamEvent | null> {
    const timer = setTimeout(() => this.#controller.abort(new Error(`no event within ${withinMs} ms`)), withinMs);
    try {
      const { done, value } = await this.#events.next();
      return done ? null : value;
    } finally {
      clearTimeout(timer);
    }
  }

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
  async rest(withinMs = patienceMs): Promise<readonly StreamEvent[]> {
    const events: StreamEvent[] = [];
    for (let event = await this.next(withinMs); event; event = await this.next(withinMs)) events.push(event);
    return events;
  }

  /** Goes away, as a client whose connection is cut. */
  close(): void {
    this.#controller.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#events.return?.().catch(() => undefined);
  }

  async *#parse(body: ReadableStream<string>): AsyncGenerator<StreamEvent> {
    let event = '';
    let id = '';
    let data: string[] = [];
    for await (const line of lines(body)) {
      if (line === '') {
        if (data.length > 0) yield { event: event || 'message', id, data: JSON.parse(data.join('\n')) };
        event = '';
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === '') this.comments.push(value);
      else if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
      else if (field === 'id' && !value.includes('\0')) id = value;
      else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    }
  }
}

/** Lines end with CR, LF or both; a leading BOM is no part of the first. */
async function* lines(body: ReadableStream<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of body) {
    rest += text;
    // A CR at the very end may be half of a CRLF.
    const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
    const parts = whole.split(/\r\n|\r|\n/);
    rest = (parts.pop() ?? '') + rest.slice(whole.length);
    yield* parts;
  }
}
