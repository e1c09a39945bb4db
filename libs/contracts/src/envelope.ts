import type { ToolError } from './errors.js';
import type { Language } from './language.js';

/** How an invocation ended, independent of any answer format. Plain data: it is stored and sent between processes. */
export type Outcome =
  | {
      readonly ok: true;
      /** A JSON object that fits the contract. Null while it is sealed: secrets are stored apart. */
      readonly data: unknown;
      /** A sentence for people, where the tool has one. */
      readonly message?: string | undefined;
      readonly warnings?: readonly string[] | undefined;
      /** Facts for developers. Shown only for calls with `debug`, outside production. */
      readonly explained?: Readonly<Record<string, unknown>> | undefined;
      /** True when the data is sealed and has to be claimed by its caller. */
      readonly sealed?: boolean | undefined;
      /** The `ETag` of the answer. */
      readonly version?: string | undefined;
      /** True when the caller has this version already. Then there is no data. */
      readonly unchanged?: boolean | undefined;
    }
  | {
      readonly ok: false;
      readonly error: ToolError;
      readonly warnings?: readonly string[] | undefined;
      readonly explained?: Readonly<Record<string, unknown>> | undefined;
    };

export type OkOutcome = Extract<Outcome, { ok: true }>;

/** `waiting` for a worker · `active` in a worker · `delayed` before another attempt · `resting` until a time or an answer. The other three are final. */
export const jobStates = ['waiting', 'active', 'delayed', 'resting', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];
export type EndState = Extract<JobState, 'completed' | 'failed' | 'cancelled'>;

/** What an answer says about its call besides the outcome. `timestamp` is in epoch milliseconds, durations in milliseconds. */
export interface CallFacts {
  /** Of words for people. Default English. */
  readonly language?: Language | undefined;
  readonly toolName: string;
  readonly traceId: string;
  readonly timestamp: number;
  readonly performance?: Performance | undefined;
  readonly executionMs?: number | undefined;
  readonly cache?: CacheFacts | undefined;
  readonly jobId?: string | undefined;
  readonly attempts?: number | undefined;
  readonly toolVersion?: string | undefined;
  /** What reads the result in parts, where no job of the reader's does: the answer of a call of somebody else that may be shared. */
  readonly resultId?: string | undefined;
  /** What the call cost, in millionths of a US dollar; absent for a tool that says nothing of it. */
  readonly costMicros?: number | undefined;
  readonly metacognition?: Metacognition | undefined;
  /** Facts for developers, for calls with `debug` outside production (TU-67). */
  readonly debugInfo?: Readonly<Record<string, unknown>> | undefined;
}

/** Where the time went, in ms. The parts do not overlap, and their sum is at most the total (TU-68). */
export interface Performance {
  readonly validation_ms: number;
  readonly queue_ms: number;
  /** Waiting for upstreams and stores inside the handler. */
  readonly network_ms: number;
  /** The rest of the handler's time. */
  readonly processing_ms: number;
  readonly total_ms: number;
}

/** The result of the review of a success (TU-112). `checked: false` when it could not be made. */
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

/** The unified envelope (TU-18…28), the answer of every route but the native ones. */
export interface Envelope {
  readonly success: boolean;
  readonly status: 'success' | 'error';
  readonly data?: unknown;
  readonly error?: EnvelopeError;
  readonly metadata: EnvelopeMetadata;
  readonly debug_info?: Readonly<Record<string, unknown>>;
  /** Seconds, rounded up. Present only with RATE_LIMITED, for clients of the Tool Use document (C-11). */
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
  /** Of a long answer from the cache, or one of a run that was shared: reads it in parts. */
  readonly result_id?: string;
  /** In millionths of a US dollar, of a call that ran. */
  readonly cost?: { readonly micros: number };
  readonly metacognition?: Metacognition;
  readonly warnings?: readonly string[];
}
