import { subjects, type SubjectName } from '../load/subjects.js';
import type { BenchRun } from './bench-run.js';
import type { Measurement } from './cells.js';

const fewestCalls = 20;
const computed: ReadonlySet<SubjectName> = new Set(['uncached', 'async', 'stream', 'mcp']);

/** Why the figures of this run should not be believed; empty when they may be. */
export function faultsOf({ cells, workerRuns: { counted, answered } }: BenchRun): readonly string[] {
  const faults = cells.measurements.flatMap((one) => {
    const fault = faultOf(one);
    return fault === null ? [] : [`${subjects[one.subject].title}, ${one.concurrency} callers, round ${one.round}: ${fault}`];
  });
  return counted === answered ? faults : [...faults, `the worker counted ${counted} attempts where the answers speak of ${answered}`];
}

function faultOf({ subject, concurrency, calls, failures, firstFailure, workerRuns }: Measurement): string | null {
  if (failures > 0) return `${failures} calls failed, the first with: ${firstFailure ?? '?'}`;
  if (calls < Math.max(fewestCalls, concurrency)) return `${calls} calls are too few to mean anything`;
  if (computed.has(subject) && workerRuns < calls) return `${calls} calls but ${workerRuns} runs`;
  return null;
}
