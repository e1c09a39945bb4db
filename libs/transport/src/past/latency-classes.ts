/**
 * Latencies are counted in classes, so that counts of any calls can be added: each is a fifth wider than the one before, from 1 ms on, and the
 * quantiles that they give are right within a tenth. Class 85 is over an hour. The numbers are stored: they never change.
 */
const growth = 1.2;
const lastClass = 85;

/** The class of a latency, from 0. */
export function latencyClass(ms: number): number {
  return Math.min(lastClass, Math.max(0, Math.round(Math.log(Math.max(1, ms)) / Math.log(growth))));
}

export interface Quantiles {
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
}

/** Those of all calls that were counted; null without one. @param counts calls by class */
export function quantilesOf(counts: ReadonlyMap<number, number>): Quantiles {
  const sorted = [...counts].toSorted(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  const quantile = (share: number): number | null => {
    let seen = 0;
    for (const [index, count] of sorted) if ((seen += count) >= share * total) return Math.round(growth ** index * 10) / 10;
    return null;
  };
  return { p50_ms: quantile(0.5), p95_ms: quantile(0.95), p99_ms: quantile(0.99) };
}
