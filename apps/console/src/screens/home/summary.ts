// Buckets of activity → what the home screen shows.
import type { Activity, ActivityBucket } from '#lib/contracts';

export interface Point {
  /** Epoch seconds. */
  readonly at: number;
  readonly calls: number;
  readonly errors: number;
  readonly p50: number | null;
  readonly p99: number | null;
}

export type Range = 'seconds' | 'minutes';
const sizes = { seconds: { step: 1, count: 300 }, minutes: { step: 60, count: 180 } } as const;

/** A point for each step of the range; steps in which nothing ended have zero calls and no latency. */
export function pointsOf(activity: Activity, range: Range): readonly Point[] {
  const { step, count } = sizes[range];
  const known = new Map(activity[range].map((bucket) => [secondsOf(bucket.at), bucket]));
  const last = Math.floor(secondsOf(activity.now) / step) * step;
  return Array.from({ length: count }, (_, index): Point => {
    const at = last - (count - 1 - index) * step;
    const bucket = known.get(at);
    return {
      at,
      calls: bucket?.calls ?? 0,
      errors: bucket ? total(bucket.errors) : 0,
      p50: bucket?.p50_ms ?? null,
      p99: bucket?.p99_ms ?? null,
    };
  });
}

export interface Summary {
  readonly calls: number;
  readonly errors: number;
  /** Those that are no matter of what the caller asked for, as the gateway counts them. */
  readonly faults: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  /** Most frequent first. */
  readonly byCode: readonly (readonly [string, number])[];
  readonly byTool: readonly {
    readonly tool: string;
    readonly calls: number;
    readonly errors: number;
    readonly p50: number | null;
    readonly p99: number | null;
  }[];
}

/** What a range gave as a whole. Its quantiles are the gateway's: those of parts cannot be added. */
export function summaryOf({ calls, errors, system_errors, p50_ms, p95_ms, p99_ms, by_tool }: ActivityBucket): Summary {
  const byCode = Object.entries(errors).sort(([, a], [, b]) => b - a);
  return {
    calls,
    errors: total(errors),
    faults: system_errors,
    p50: p50_ms,
    p95: p95_ms,
    p99: p99_ms,
    byCode,
    byTool: Object.entries(by_tool)
      .map(([tool, counts]) => ({ tool, calls: counts.calls, errors: total(counts.errors), p50: counts.p50_ms, p99: counts.p99_ms }))
      .sort((a, b) => b.calls - a.calls),
  };
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function secondsOf(iso: string): number {
  return Math.floor(new Date(iso).getTime() / 1_000);
}
