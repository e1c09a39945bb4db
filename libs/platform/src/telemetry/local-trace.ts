import type { SpanRecord } from './span-sink.js';

/** From which duration on a span is slow, in ms. */
const slowMs = 1_000;
/** The most spans of a trace that are held. */
const mostHeld = 256;

/**
 * The spans of a trace in this process, below the first that began here. Those of a trace outside the rate are held until that one ends, and sent
 * when one of them failed or was slow.
 */
export class LocalTrace {
  readonly #send: (span: SpanRecord) => void;
  #state: 'sent' | 'held' | 'dropped';
  #held: SpanRecord[] = [];

  constructor(isKept: boolean, send: (span: SpanRecord) => void) {
    this.#send = send;
    this.#state = isKept ? 'sent' : 'held';
  }

  /** Takes a span that has ended. */
  add(span: SpanRecord): void {
    if (this.#state !== 'sent' && !isTelling(span)) {
      if (this.#state === 'held' && this.#held.length < mostHeld) this.#held.push(span);
      return;
    }
    this.#state = 'sent';
    for (const earlier of this.#held.splice(0)) this.#send(earlier);
    this.#send(span);
  }

  /** The first span has ended: what is still held is not worth keeping. */
  end(): void {
    if (this.#state !== 'held') return;
    this.#state = 'dropped';
    this.#held = [];
  }
}

function isTelling({ status, duration_ms, attributes }: SpanRecord): boolean {
  const { 'invoq.code': code, 'http.response.status_code': httpStatus } = attributes;
  return status === 'error' || duration_ms >= slowMs || code !== undefined || Number(httpStatus ?? 0) >= 400;
}
