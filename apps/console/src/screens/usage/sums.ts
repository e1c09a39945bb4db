import type { CallSum } from '#lib/client';

export const groups = ['tool', 'model', 'user', 'key', 'conversation', 'tenant', 'day'] as const;
export type Group = (typeof groups)[number];

const dayMs = 86_400_000;

/** The last days of UTC up to today, `2026-01-31`, the oldest first. */
export function lastDays(count: number, now: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => new Date(now - (count - 1 - index) * dayMs).toISOString().slice(0, 10));
}

/** What a row is named by; empty for calls without one. */
export function nameOf(row: CallSum, group: Group): string {
  const { tool_name: tool, model, user_id: user, credential_id: key, conversation_id: conversation, tenant_id: tenant, day } = row;
  return { tool, model, user, key, conversation, tenant, day }[group] ?? '';
}

/** Older gateways tell no cost. */
export function microsOf({ cost_micros: micros = 0 }: Pick<CallSum, 'cost_micros'>): number {
  return micros;
}

export interface Total {
  readonly calls: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly tokens: number;
  readonly executionMs: number;
  readonly micros: number;
}

const nothing: Total = { calls: 0, completed: 0, failed: 0, cancelled: 0, tokens: 0, executionMs: 0, micros: 0 };

export function totalOf(rows: readonly CallSum[]): Total {
  return rows.reduce(
    (sum, row) => ({
      calls: sum.calls + row.calls,
      completed: sum.completed + row.completed,
      failed: sum.failed + row.failed,
      cancelled: sum.cancelled + row.cancelled,
      tokens: sum.tokens + row.input_tokens + row.output_tokens,
      executionMs: sum.executionMs + row.execution_ms,
      micros: sum.micros + microsOf(row),
    }),
    nothing,
  );
}

/** The dearest first, then those with most calls; days in their order. */
export function sorted(rows: readonly CallSum[], group: Group): readonly CallSum[] {
  if (group === 'day') return rows.toSorted((a, b) => (b.day ?? '').localeCompare(a.day ?? ''));
  return rows.toSorted((a, b) => microsOf(b) - microsOf(a) || b.calls - a.calls);
}
