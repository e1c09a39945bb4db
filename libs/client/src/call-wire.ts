// What the gateway says of calls, by its wire contract. A later gateway may add fields.
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
  /** Null while it does not rest. Older gateways do not tell it. */
  readonly rest?: Rest | null;
}

/** A call at rest: it waits for a time or for somebody, and for no worker. */
export interface Rest {
  readonly reason: 'approval' | 'question' | 'connection' | 'event' | 'sleep' | 'scheduled' | 'paused' | 'flow';
  readonly since: string;
  /** When it ends by itself. */
  readonly until: string;
  /** The id of what a person is asked; see `inputRequests`. */
  readonly input_request?: string;
  /** What it waits for, where it is paused; see `pauses`. */
  readonly pause?: { readonly name: string; readonly reason: string };
  /** The line in which it waits for others; see `flows`. `text`: `waits for 2 others of account 17`. `place`: from 1. */
  readonly flow?: { readonly name: string; readonly text: string; readonly place: number };
}

/** A call that was started without waiting for it: a job, or an answer from the cache. */
export type StartedCall<Data> =
  | { readonly job_id: string; readonly trace_id: string; readonly result: null }
  | {
      readonly job_id: null;
      readonly trace_id: string;
      readonly result: { readonly data: Data; readonly metadata: EnvelopeMetadata };
    };

/** A call that went to rest before it ended. It goes on by itself: `wait` and `cancel` take its job. */
export interface RestingCall {
  readonly job_id: string;
  readonly rest: Pick<Rest, 'reason' | 'until' | 'input_request'>;
}

export interface Job extends AcceptedJob {
  readonly state: 'waiting' | 'active' | 'delayed' | 'resting' | 'completed' | 'failed' | 'cancelled';
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

/** The envelope of one call of a batch, with the id of that call. One that rests has `job_id`, `state` and `rest` instead. */
export type BatchResult = Envelope & { readonly id: string | number };

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
        readonly metadata: Partial<EnvelopeMetadata>;
      };
    }
  | {
      readonly event: 'tool_resting';
      readonly id: string;
      readonly data: Pick<Rest, 'reason' | 'until' | 'input_request'> & { readonly metadata: Partial<EnvelopeMetadata> };
    }
  | {
      readonly event: 'tool_resumed';
      readonly id: string;
      readonly data: Pick<Rest, 'reason'> & { readonly metadata: Partial<EnvelopeMetadata> };
    }
  | { readonly event: 'tool_result' | 'tool_error'; readonly id: string; readonly data: Envelope };

/** What a chat turn does; `done` or `error` is the last. */
export type AgentEvent =
  | { readonly type: 'thinking'; readonly iteration: number }
  | { readonly type: 'content'; readonly content: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly type: 'tool_result'; readonly id: string; readonly name: string; readonly result: Readonly<Record<string, unknown>> }
  | { readonly type: 'done'; readonly content: string }
  | { readonly type: 'error'; readonly error: string };
