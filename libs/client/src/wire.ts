// What the gateway answers, as its wire contract has it. Fields that a later gateway adds do no harm.
import type { Envelope, EnvelopeMetadata } from '#lib/contracts';

export interface Progress {
  /** 0–100. */
  readonly progress: number;
  readonly message: string;
}

export interface AcceptedJob {
  readonly job_id: string;
  readonly tool_name: string;
  readonly trace_id: string;
}

/** A call that nobody waits for. */
export interface StartedCall<Data> {
  /** Null when the answer was there at once, from the cache. */
  readonly job_id: string | null;
  readonly trace_id: string;
  readonly result: { readonly data: Data; readonly metadata: EnvelopeMetadata } | null;
}

export interface Job extends AcceptedJob {
  readonly state: 'waiting' | 'active' | 'delayed' | 'completed' | 'failed' | 'cancelled';
  readonly progress: Progress | null;
  readonly attempts_made: number;
  readonly max_attempts: number;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly result: Envelope | null;
}

export interface BatchCall {
  readonly id: string | number;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export type StreamEvent =
  | { readonly event: 'tool_progress'; readonly id: string; readonly data: Progress & { readonly metadata: Partial<EnvelopeMetadata> } }
  | {
      readonly event: 'tool_retrying';
      readonly id: string;
      readonly data: {
        readonly retry_count: number;
        readonly max_retries: number;
        readonly delay_ms: number;
        readonly error: { readonly code: string; readonly message: string };
      };
    }
  | { readonly event: 'tool_result' | 'tool_error'; readonly id: string; readonly data: Envelope };

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
