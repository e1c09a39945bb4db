// The checker, in the manner of Jepsen's total-queue: it reads only the history.
import type { CallRecord, History } from '../history/history.js';
import { brokenPromise, died, hung, noEnvelope } from './answers.js';
import { Attribution } from './attribution.js';
import { duplicatedEffect, missingEffect, twoKeys, unexpected } from './effects.js';
import { changedEnding, hasEnded, lost, notFound, splitKey } from './endings.js';
import { isOk, needlessFailure, notInjected, notRecovered, tooFewHits, tooFewSuccesses } from './run-quality.js';
import { brokenStream } from './streams.js';
import type { Rule, Violation } from './violation.js';

export interface Counts {
  readonly attempted: number;
  /** An answer named their job. */
  readonly acknowledged: number;
  readonly ok: number;
  /** Ended with an error, or was refused with an error that is not retryable. */
  readonly failed: number;
  /** Ended, though their client had given up waiting. */
  readonly recovered: number;
  /** Acknowledged − ended. */
  readonly lost: number;
  /** Never acknowledged and never refused: it may have happened. */
  readonly indeterminate: number;
  /** Ran more than once, which is allowed. */
  readonly ranAgain: number;
  /** Followed over more than one connection. */
  readonly resumed: number;
}

export interface Verdict {
  readonly total: Counts;
  readonly byFault: ReadonlyMap<string, Counts>;
  readonly violations: readonly Violation[];
}

const rules: readonly Rule[] = [
  notFound,
  lost,
  changedEnding,
  splitKey,
  duplicatedEffect,
  twoKeys,
  missingEffect,
  unexpected,
  brokenStream,
  hung,
  noEnvelope,
  brokenPromise,
  died,
  notRecovered,
  notInjected,
  tooFewHits,
  tooFewSuccesses,
  needlessFailure,
];

export function check(history: History): Verdict {
  const ended = new Set(history.audits.filter(hasEnded).map(({ callId }) => callId));
  const attribution = new Attribution(history.calls, history.faults);
  const byFault = Map.groupBy(history.calls, ({ id }) => attribution.of(id));
  return {
    total: count(history.calls, ended),
    byFault: new Map([...byFault].map(([fault, calls]) => [fault, count(calls, ended)])),
    violations: rules.flatMap((rule) => rule({ history, attribution })),
  };
}

function count(calls: readonly CallRecord[], ended: ReadonlySet<string>): Counts {
  const acknowledged = calls.filter(({ jobIds }) => jobIds.length > 0);
  const isSettled = ({ endedAt }: CallRecord) => endedAt !== null;
  return {
    attempted: calls.length,
    acknowledged: acknowledged.length,
    ok: calls.filter(isOk).length,
    failed: calls.filter((call) => isSettled(call) && !isOk(call)).length,
    recovered: acknowledged.filter((call) => !isSettled(call) && ended.has(call.id)).length,
    lost: acknowledged.filter(({ id }) => !ended.has(id)).length,
    indeterminate: calls.filter((call) => !isSettled(call) && call.jobIds.length === 0).length,
    ranAgain: calls.filter(({ endings }) => endings.some(({ attempts }) => attempts > 1)).length,
    resumed: calls.filter(({ events }) => (events.at(-1)?.connection ?? 1) > (events[0]?.connection ?? 1)).length,
  };
}
