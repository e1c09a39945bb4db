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

export function summaryOf(buckets: readonly ActivityBucket[]): Summary {
  const codes = new Map<string, number>();
  const tools = new Map<string, { calls: number; errors: number; p50: number | null; p99: number | null }>();
  for (const { errors, by_tool } of buckets) {
    for (const [code, count] of Object.entries(errors)) codes.set(code, (codes.get(code) ?? 0) + count);
    for (const [tool, counts] of Object.entries(by_tool)) {
      const before = tools.get(tool);
      tools.set(tool, {
        calls: (before?.calls ?? 0) + counts.calls,
        errors: (before?.errors ?? 0) + total(counts.errors),
        // Quantiles cannot be added: the worst bucket stands for all.
        p50: worst(before?.p50, counts.p50_ms),
        p99: worst(before?.p99, counts.p99_ms),
      });
    }
  }
  const byCode = [...codes].sort(([, a], [, b]) => b - a);
  const byTool = [...tools].map(([tool, counts]) => ({ tool, ...counts })).sort((a, b) => b.calls - a.calls);
  return {
    calls: buckets.reduce((sum, { calls }) => sum + calls, 0),
    errors: byCode.reduce((sum, [, count]) => sum + count, 0),
    byCode,
    byTool,
  };
}

function worst(a: number | null | undefined, b: number | null): number | null {
  if (a === null || a === undefined) return b;
  return b === null ? a : Math.max(a, b);
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function secondsOf(iso: string): number {
  return Math.floor(new Date(iso).getTime() / 1_000);
}
