// Finished spans on their way to the trace store. The bootstrap fills it before the application is loaded; the application
// attaches where they go once it has a connection.

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

type Consumer = (spans: readonly SpanRecord[]) => void;

let consumer: Consumer | null = null;

export const spanSink = {
  attach(next: Consumer): void {
    consumer = next;
  },
  push(spans: readonly SpanRecord[]): void {
    consumer?.(spans);
  },
};
