import { subjects } from '../load/subjects.js';
import type { Measurement } from './cells.js';

/** Computed calls of the whole run, warm-ups included. */
interface WorkerRuns {
  /** By the worker itself, so that answers alone are not believed. */
  readonly counted: number;
  /** By the answers. */
  readonly answered: number;
}

const fewestCalls = 20;

/** Why the figures of this run should not be believed; empty when they may be. */
export function faultsOf(measurements: readonly Measurement[], runs: WorkerRuns): readonly string[] {
  const cells = measurements.flatMap((one) => {
    const name = `${subjects[one.subject].title}, ${one.concurrency} callers, round ${one.round}`;
    if (one.failures > 0) return [`${name}: ${one.failures} calls failed, the first with: ${one.firstFailure ?? '?'}`];
    if (one.calls < Math.max(fewestCalls, one.concurrency)) return [`${name}: ${one.calls} calls are too few to mean anything`];
    if (one.subject === 'uncached' && one.workerRuns < one.calls) return [`${name}: ${one.calls} calls but ${one.workerRuns} runs`];
    return [];
  });
  const { counted, answered } = runs;
  return counted === answered ? cells : [...cells, `the worker counted ${counted} attempts where the answers speak of ${answered}`];
}
