// What the gateway answers, by its wire contract. A later gateway may add fields.
import type { Envelope, EnvelopeMetadata, ResultPart, ToolDefinition } from '#lib/contracts';

export type { ResultPart };

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

/** An API key, as administrators see it. */
export interface ApiKey {
  readonly id: string;
  /** For people; null where nobody gave one. */
  readonly name: string | null;
  /** Late by up to a minute. */
  readonly last_used_at: string | null;
  /** The beginning of the key, by which its owner recognises it. */
  readonly prefix: string;
  readonly tenant_id: string;
  readonly user_id: string | null;
  readonly tier: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

export interface NewApiKey {
  /** For people, to tell keys apart. */
  readonly name?: string;
  readonly tenant_id: string;
  /** Left out for a key of the whole tenant. */
  readonly user_id?: string;
  readonly tier: string;
  readonly scopes: readonly string[];
  /** The only tools that it sees and calls, by name; `*` stands for any characters. Left out: all of them. */
  readonly tools?: readonly string[];
  /** With the scope `tools:serve`: the domains that its workers may serve. Left out: any. */
  readonly serves?: readonly string[];
  /** With the scope `tools:serve`: whether what its workers announce may be called without an administrator. */
  readonly approves_tools?: boolean;
  /** ISO 8601 with an offset. Left out: it does not expire. */
  readonly expires_at?: string;
}

/** The definitions of all tools, and the `ETag` of the list. */
export interface ToolList {
  readonly tools: readonly ToolDefinition[];
  readonly etag: string | null;
}

export interface Pagination {
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** A call that has ended, without its data. */
export interface PastCall {
  readonly job_id: string;
  readonly tool_name: string;
  readonly tool_version: string;
  readonly state: 'completed' | 'failed' | 'cancelled';
  readonly error: { readonly code: string; readonly native_code: string | null } | null;
  readonly tenant_id: string;
  /** Null for a call of the tenant's own key. */
  readonly user_id: string | null;
  readonly credential_id: string;
  readonly trace_id: string;
  readonly attempts_made: number;
  readonly max_attempts: number;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string;
  /** From acceptance to end, in ms. */
  readonly duration_ms: number;
  /** Of the handler in the last attempt, in ms, and the part of it that was spent waiting for others. */
  readonly execution_ms: number;
  readonly network_ms: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** In millionths of a US dollar. Older gateways do not tell it. */
  readonly cost_micros?: number;
  readonly replay_of: string | null;
  /** Who approved it with other parameters than its caller's. Older gateways do not tell it. */
  readonly edited_by?: string | null;
}

export interface HistoryPage {
  readonly calls: readonly PastCall[];
  readonly pagination: Pagination;
}

/** Calls that ran and have ended. The first five are there where they were asked for. */
export interface CallSum {
  readonly day?: string | undefined;
  readonly tenant_id?: string | undefined;
  readonly user_id?: string | null | undefined;
  /** Of a key or token; empty for calls of before it was kept here. */
  readonly credential_id?: string | undefined;
  readonly tool_name?: string | undefined;
  /** Null for calls that asked none. */
  readonly model?: string | null | undefined;
  /** Null for calls outside of every conversation. */
  readonly conversation_id?: string | null | undefined;
  readonly calls: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly attempts: number;
  readonly execution_ms: number;
  /** Quantiles of the latencies of all these calls; null where none is known. Older gateways do not tell them. */
  readonly p50_ms?: number | null;
  readonly p95_ms?: number | null;
  readonly p99_ms?: number | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** In millionths of a US dollar. Older gateways do not tell it. */
  readonly cost_micros?: number;
}

export interface CallSums {
  readonly from: string;
  readonly to: string;
  readonly sums: readonly CallSum[];
  readonly pagination: Pagination;
}

/** A change of a key, an approved tool or an outside server. */
export interface AuditEvent {
  /** Older gateways do not tell it. */
  readonly id?: string;
  readonly at: string;
  /** The principal that asked for it; null for what no caller asked for. */
  readonly actor: string | null;
  /** The name of the connection to the database that made it. */
  readonly application: string;
  /** Such as `api_key.insert`. */
  readonly action: string;
  readonly subject: string;
  readonly tenant_id: string | null;
  /** What an update changed. */
  readonly changed: readonly string[];
  /** The row afterwards, or before it was deleted, without secrets. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface AuditPage {
  readonly events: readonly AuditEvent[];
  readonly pagination: Pagination;
}

/** A version of a tool that a worker of a tenant has announced. */
export interface ServedToolRow {
  readonly tenant_id: string;
  readonly domain: string;
  readonly name: string;
  readonly version: string;
  /** `served`: a worker is connected. */
  readonly state: 'pending' | 'approved' | 'served';
  readonly announced_by: string;
  readonly announced_at: string;
  readonly approved_by: string | null;
  readonly approved_at: string | null;
  /** Of the contract. */
  readonly fingerprint: string;
  readonly contract: Readonly<Record<string, unknown>>;
}

/** Which tools are listed. */
export interface ToolsFilter {
  /** Only those of this domain. */
  readonly domain?: string | undefined;
  /** Only those of a named set, under its names. */
  readonly set?: string | undefined;
  /** What a tool is wanted for, in words: only those that fit and that the caller may call, the best first. */
  readonly query?: string | undefined;
  /** With `query`: at most so many. Default 10. */
  readonly limit?: number | undefined;
}

interface PastFilter {
  /** The caller's own, those of its tenant, those of every tenant. The last two need the scope `admin`. Default `mine`. */
  readonly scope?: 'mine' | 'tenant' | 'all' | undefined;
  /** One of all tenants, with the scope `all`. */
  readonly tenant?: string | undefined;
  readonly tool?: string | undefined;
  readonly user?: string | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
  /** 1–1,000. */
  readonly limit?: number | undefined;
}

export interface HistoryFilter extends PastFilter {
  readonly state?: 'completed' | 'failed' | 'cancelled' | undefined;
  /** `refused`: it ended, and its answer is that it cannot be done as it was asked for. */
  readonly outcome?: 'succeeded' | 'refused' | 'failed' | 'cancelled' | undefined;
  /** Canonical, or the tool's own. */
  readonly code?: string | undefined;
  /** Ended at or after, ISO 8601 with an offset. */
  readonly from?: string | undefined;
  /** Ended before. */
  readonly to?: string | undefined;
}

export interface CallSumsFilter extends PastFilter {
  /** What has a row of its own: day, tenant, user, key, tool, model and conversation, comma-separated. Default `day,tool`. */
  readonly by?: string | undefined;
  readonly conversation?: string | undefined;
  /** The first day of UTC. Default: 29 days before `to`. */
  readonly from?: string | undefined;
  /** The last day. Default: today. */
  readonly to?: string | undefined;
}

export interface AuditFilter {
  /** Default `tenant`. */
  readonly scope?: 'tenant' | 'all' | undefined;
  readonly tenant?: string | undefined;
  /** Such as `api_key.insert`. */
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly subject?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}
