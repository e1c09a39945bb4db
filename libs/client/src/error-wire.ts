// What the routes of errors answer.
import type { Pagination } from './history-wire.js';

/** `caller`: for what was asked for, or how often. `system`: a fault of Invoq, of a tool, or of what stands behind it. */
export type ErrorCause = 'caller' | 'system';

/** One call that ended with an error. */
export interface ErrorSample {
  readonly at: string;
  readonly trace_id: string;
  /** Null for a call that was refused before it became a job. */
  readonly job_id: string | null;
  readonly user_id: string | null;
  /** Null after a day. */
  readonly message: string | null;
}

/** Errors with one tenant, tool, code, cause and message. */
export interface ErrorKind {
  readonly id: string;
  /** Null where more kinds were counted than have a place of their own; so are the tool, the tool's own code and the message. */
  readonly tenant_id: string | null;
  readonly tool_name: string | null;
  readonly code: string;
  readonly native_code: string | null;
  readonly cause: ErrorCause;
  /** Without what differs from call to call. */
  readonly message: string | null;
  readonly count: number;
  /** In each step of the series. */
  readonly counts: readonly number[];
  readonly first_at: string;
  readonly last_at: string;
  /** The latest three, newest first. */
  readonly samples: readonly ErrorSample[];
}

export interface ErrorsPage {
  readonly from: string;
  readonly to: string;
  readonly total: Readonly<Record<ErrorCause, number>>;
  readonly step_ms: number;
  readonly series: readonly (Readonly<Record<ErrorCause, number>> & { readonly at: string })[];
  /** The most frequent first. */
  readonly errors: readonly ErrorKind[];
  readonly pagination: Pagination;
}

export interface ErrorsFilter {
  /** Default `tenant`. */
  readonly scope?: 'tenant' | 'all' | undefined;
  /** With `scope: 'all'`. */
  readonly tenant?: string | undefined;
  readonly tool?: string | undefined;
  /** A canonical code, or the tool's own. */
  readonly code?: string | undefined;
  readonly cause?: ErrorCause | undefined;
  /** ISO 8601; an hour before `to` by default. */
  readonly from?: string | undefined;
  /** Now by default. */
  readonly to?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}
