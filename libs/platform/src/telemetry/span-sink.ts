// Carries finished spans to the trace store. The bootstrap fills it before the application is loaded; the application attaches the
// consumer once it has a connection. Until then spans are dropped.
import { setTimeout } from 'node:timers/promises';

const flushMs = 1_000;

/** Set to true on a span that the trace store does not keep, and on those below it that begin while it is. */
export const unstored = 'invoq.unstored';

/** What a tool logged in an attempt, on the span of the attempt. Not every reader of a trace may see it. */
export const logAttribute = 'invoq.log';

/** Say whose a span is, and those below it that begin after it is known. Each tenant has a store of its own for them. */
export const callerAttributes = { tenant: 'invoq.tenant', user: 'invoq.user' } as const;

/** A finished span as plain data. Times are epoch milliseconds. */
export interface SpanRecord {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly service: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly start: number;
  readonly duration_ms: number;
  readonly status: 'unset' | 'ok' | 'error';
  readonly attributes: Readonly<Record<string, unknown>>;
}

type Consumer = (spans: readonly SpanRecord[]) => Promise<void>;

/**
 * One of each app in this process. Any of them takes all spans; the others take over when it ends. It is one for the process because
 * OpenTelemetry's provider is, and the spans of its instrumentations know no gateway: the apps of a process share their trace store.
 */
const consumers = new Set<Consumer>();
let sendHeld: (() => Promise<void>) | null = null;

export const spanSink = {
  /** @returns ends it: the consumer gets no more spans */
  attach(consumer: Consumer): () => void {
    consumers.add(consumer);
    return () => void consumers.delete(consumer);
  },
  async push(spans: readonly SpanRecord[]): Promise<void> {
    const [consumer] = consumers;
    await consumer?.(spans);
  },
  /** Spans are held for a moment to be sent together; the bootstrap says how those are sent at once. */
  filledBy(send: () => Promise<void>): void {
    sendHeld = send;
  },
  /** Sends what is still held, here and to a collector. Bounded: an absent collector does not hold up a shutdown. */
  async flush(): Promise<void> {
    await Promise.race([sendHeld?.(), setTimeout(flushMs, undefined, { ref: false })]);
  },
};
