import type { ToolError } from './errors.js';

/** How an invocation ended, before any form of answer is made of it. Plain data; stored and sent between processes. */
export type Outcome =
  | {
      readonly ok: true;
      /** A JSON object that fits the contract; null while its secrets are sealed, in a place of their own. */
      readonly data: unknown;
      /** A sentence for people, where the tool has one. */
      readonly message?: string | undefined;
      readonly warnings?: readonly string[] | undefined;
      /** What helps a developer: shown with `debug` outside production, and nowhere else. */
      readonly explained?: Readonly<Record<string, unknown>> | undefined;
      /** True when the data is sealed and must be claimed. */
      readonly sealed?: boolean | undefined;
      /** The version of the answer, for its `ETag`. */
      readonly version?: string | undefined;
      /** True when the caller has this version: there is no data. */
      readonly unchanged?: boolean | undefined;
    }
  | {
      readonly ok: false;
      readonly error: ToolError;
      readonly warnings?: readonly string[] | undefined;
      readonly explained?: Readonly<Record<string, unknown>> | undefined;
    };

export type OkOutcome = Extract<Outcome, { ok: true }>;

/** `waiting` for a worker · `active` in one · `delayed` before another attempt · the rest are ends. */
export const jobStates = ['waiting', 'active', 'delayed', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];
export type EndState = Extract<JobState, 'completed' | 'failed' | 'cancelled'>;

/** What an answer tells about its call besides the outcome. Times are epoch milliseconds or durations in milliseconds. */
export interface CallFacts {
  readonly toolName: string;
  readonly traceId: string;
  readonly timestamp: number;
  readonly performance?: Performance | undefined;
  readonly executionMs?: number | undefined;
  readonly cache?: CacheFacts | undefined;
  readonly jobId?: string | undefined;
  readonly attempts?: number | undefined;
  readonly toolVersion?: string | undefined;
  readonly metacognition?: Metacognition | undefined;
  /** What helps a developer, for those who asked for it outside production (TU-67). */
  readonly debugInfo?: Readonly<Record<string, unknown>> | undefined;
}

/** Milliseconds; the parts do not overlap and add up to at most the total (TU-68). */
export interface Performance {
  readonly validation_ms: number;
  readonly queue_ms: number;
  /** Waiting for upstreams and stores inside the handler. */
  readonly network_ms: number;
  /** The rest of the handler's time. */
  readonly processing_ms: number;
  readonly total_ms: number;
}

/** What a second look at a success found (TU-112); `checked: false` when it could not be made. */
export type Metacognition =
  | { readonly checked: false }
  | { readonly checked: true; readonly needs_correction: false }
  | { readonly checked: true; readonly needs_correction: true; readonly correction: string };

export interface CacheFacts {
  readonly hit: boolean;
  readonly cached_at?: string | undefined;
  /** Seconds. */
  readonly ttl_remaining?: number | undefined;
}

/** The unified envelope (TU-18…28): every answer of every door but the native routes. */
export interface Envelope {
  readonly success: boolean;
  readonly status: 'success' | 'error';
  readonly data?: unknown;
  readonly error?: EnvelopeError;
  readonly metadata: EnvelopeMetadata;
  readonly debug_info?: Readonly<Record<string, unknown>>;
  /** Seconds, rounded up; only with RATE_LIMITED, as the Tool Use document's client reads it (C-11). */
  readonly retry_after?: number;
}

export interface EnvelopeError {
  readonly code: string;
  readonly native_code?: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly hint: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
  readonly retry_after_ms?: number;
  readonly [extra: string]: unknown;
}

export interface EnvelopeMetadata {
  readonly tool_name: string;
  readonly timestamp: string;
  readonly trace_id: string;
  readonly execution_time_ms?: number;
  readonly performance?: Performance;
  readonly cache?: CacheFacts;
  readonly job_id?: string;
  readonly attempts?: number;
  readonly tool_version?: string;
  readonly metacognition?: Metacognition;
  readonly warnings?: readonly string[];
}
