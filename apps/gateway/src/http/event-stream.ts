import type { ServerResponse } from 'node:http';
import type { ServerSentEvent } from '#lib/contracts';
import type { Metrics } from '#lib/transport';

const heartbeatMs = 15_000;
/** A reader that leaves more than this unread, besides one event of any size, is disconnected. It can reconnect and resume. */
const defaultUnreadBytes = 256 * 1024;
/** A reader that reads nothing for this long is disconnected, or one that takes a large event at less than so many bytes a second. */
const [drainMs, slowestPerS] = [30_000, 32 * 1024];

/** Of streams. */
export type StreamMetrics = Pick<Metrics, 'sseEvents' | 'sseSeconds' | 'sseLost'>;

interface StreamOptions {
  readonly metrics: StreamMetrics;
  /** Called with each event that is sent by `send`. */
  readonly onSent: (event: ServerSentEvent) => void;
  readonly onEnd: () => void;
  /** That the reader may leave unread besides the largest event. Default 256 KiB. */
  readonly maxUnreadBytes?: number;
}

const beginning = 'retry: 2000\n\n';

function eventText({ event, id, data }: ServerSentEvent): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A stream whose events are all there, as `EventStream` would send them. */
export function wholeStream(events: readonly ServerSentEvent[]): string {
  return beginning + events.map(eventText).join('');
}

/** Counts such a stream as one that was sent. */
export function countWhole(
  events: readonly ServerSentEvent[],
  { metrics, onSent }: { readonly metrics: StreamMetrics; readonly onSent: (event: ServerSentEvent) => void },
): void {
  for (const sent of events) {
    metrics.sseEvents.inc({ event: sent.event });
    onSent(sent);
  }
  metrics.sseSeconds.observe(0);
}

/** A `text/event-stream` response (WHATWG HTML, server-sent events), whose head is written. */
export class EventStream implements Disposable {
  readonly #response: ServerResponse;
  readonly #startedAt = performance.now();
  readonly #gone = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #onSent: (event: ServerSentEvent) => void;
  readonly #onEnd: () => void;
  readonly #metrics: StreamMetrics;
  readonly #maxUnreadBytes: number;
  /** Bytes of the largest write that may be unread. */
  #largest = 0;
  #giveUp: NodeJS.Timeout | undefined;

  /** Of every answer that is a stream. */
  static readonly headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  } as const;

  constructor(response: ServerResponse, { metrics, onSent, onEnd, maxUnreadBytes = defaultUnreadBytes }: StreamOptions) {
    this.#metrics = metrics;
    this.#maxUnreadBytes = maxUnreadBytes;
    this.#response = response;
    this.#onSent = onSent;
    this.#onEnd = onEnd;
    response.write(beginning);
    response.on('close', () => this.#gone.abort());
    response.on('error', () => this.#gone.abort());
    for (const event of ['drain', 'finish', 'close']) response.on(event, () => this.#isRead());
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  /** Fires when the reader has left or was disconnected. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  send(sent: ServerSentEvent): void {
    this.#write(eventText(sent));
    this.#metrics.sseEvents.inc({ event: sent.event });
    this.#onSent(sent);
  }

  /**
   * Sends frames of another form: an event name and an id if there are any, and one line of data.
   * @param kind by which they are counted
   */
  sendFrames(frames: readonly { readonly event?: string; readonly id?: string; readonly data: string }[], kind = 'chat'): void {
    const lines = frames.map(({ event, id, data }) => `${event ? `event: ${event}\n` : ''}${id ? `id: ${id}\n` : ''}data: ${data}\n\n`);
    this.#write(lines.join(''));
    this.#metrics.sseEvents.inc({ event: kind }, frames.length);
  }

  /** Resolves when the reader has read most of what was sent, or has left. Disconnects a reader that reads nothing for 30 s. */
  async drained(): Promise<void> {
    const response = this.#response;
    if (response.writableLength < this.#maxUnreadBytes / 4 || this.#gone.signal.aborted) return;
    const giveUp = setTimeout(() => response.destroy(), drainMs);
    await new Promise<void>((resolve) => {
      response.once('drain', resolve);
      this.#gone.signal.addEventListener('abort', () => resolve());
    });
    clearTimeout(giveUp);
  }

  close(): void {
    this.#gone.abort();
    this.#response.end();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat);
    this.#onEnd();
    this.#metrics.sseSeconds.observe((performance.now() - this.#startedAt) / 1_000);
    if (!this.#response.writableEnded) this.#response.end();
  }

  #write(text: string): void {
    const response = this.#response;
    if (this.#gone.signal.aborted) return;
    const bytes = Buffer.byteLength(text);
    this.#largest = response.writableLength === 0 ? bytes : Math.max(this.#largest, bytes);
    response.write(text);
    const unread = response.writableLength;
    if (unread > this.#maxUnreadBytes + this.#largest) return this.#disconnect();
    if (unread > this.#maxUnreadBytes)
      this.#giveUp ??= setTimeout(() => this.#disconnect(), drainMs + (unread / slowestPerS) * 1_000).unref();
  }

  /** While its reader takes a large event, the connection needs none, and another write would not come through. */
  #beat(): void {
    if (this.#response.writableLength <= this.#maxUnreadBytes) this.#write(': keep-alive\n\n');
  }

  #isRead(): void {
    clearTimeout(this.#giveUp);
    this.#giveUp = undefined;
  }

  #disconnect(): void {
    this.#metrics.sseLost.inc();
    this.#gone.abort();
    this.#response.destroy();
  }
}
