import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Call } from './call.js';

export interface Sample {
  readonly calls: number;
  readonly failures: number;
  readonly firstFailure: string | null;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A measurement stops after so many failures: its figures would mean nothing. */
const maxFailures = 20;

/** Every caller calls again as soon as it has its answer. All latencies are kept, so the percentiles are exact. */
export async function closedLoop(calls: readonly Call[], ms: number): Promise<Sample> {
  const latencies: number[] = [];
  let failures = 0;
  let firstFailure: string | null = null;
  const start = performance.now();
  const end = start + ms;
  const callAgain = async (call: Call): Promise<void> => {
    while (performance.now() < end && failures < maxFailures) {
      const sentAt = performance.now();
      try {
        await call();
        latencies.push(performance.now() - sentAt);
      } catch (error) {
        failures += 1;
        firstFailure ??= error instanceof Error ? error.message : String(error);
        await nextTurn();
      }
    }
  };
  await Promise.all(calls.map(callAgain));
  const elapsedMs = performance.now() - start;
  const sorted = Float64Array.from(latencies).sort();
  return { calls: sorted.length, failures, firstFailure, elapsedMs, p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
}

/** The smallest latency that this share of the calls did not exceed. */
function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
