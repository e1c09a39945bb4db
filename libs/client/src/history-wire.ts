// What was called, and what was changed, by the wire contract. A later gateway may add fields.

export interface Pagination {
  readonly has_more: boolean;
  readonly next_cursor: string | null;
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

export interface CallSumsFilter extends PastFilter {
  /** What has a row of its own: day, tenant, user, key, tool, model and conversation, comma-separated. Default `day,tool`. */
  readonly by?: string | undefined;
  readonly conversation?: string | undefined;
  /** The first day of UTC. Default: 29 days before `to`. */
  readonly from?: string | undefined;
  /** The last day. Default: today. */
  readonly to?: string | undefined;
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
