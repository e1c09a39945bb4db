// A trace, by the wire contract. A later gateway may add fields.

export interface Trace {
  readonly trace_id: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly spans: readonly {
    readonly name: string;
    readonly service?: string;
    readonly span_id: string;
    readonly parent_span_id?: string | null;
    readonly offset_ms: number;
    readonly duration_ms: number;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}
