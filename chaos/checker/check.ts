// The checker, in the manner of Jepsen's total-queue: it reads only the history.
import type { CallRecord, History } from '../history/history.js';
import { brokenPromise, died, hung, noEnvelope } from './answers.js';
import { Attribution } from './attribution.js';
import { duplicatedEffect, missingEffect, twoKeys, unexpected } from './effects.js';
import { changedEnding, hasEnded, lost, notFound, notInHistoryOnce, splitKey } from './endings.js';
import {
  isOk,
  needlessFailure,
  notAsPromised,
  nothingLost,
  notInjected,
  notRecovered,
  tooFewHits,
  tooFewSuccesses,
} from './run-quality.js';
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
  /** Made more than one effect. */
  readonly doubled: number;
  /** Followed over more than one connection. */
  readonly resumed: number;
}

export interface Verdict {
  readonly byFault: ReadonlyMap<string, Counts>;
  readonly violations: readonly Violation[];
}

const rules: readonly Rule[] = [
  notFound,
  lost,
  notInHistoryOnce,
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
  notAsPromised,
  nothingLost,
  tooFewHits,
  tooFewSuccesses,
  needlessFailure,
];

export function check(history: History): Verdict {
  const ended = new Set(history.audits.filter(hasEnded).map(({ callId }) => callId));
  const attribution = new Attribution(history.calls, history.faults);
  const doubled = new Set(history.upstream.filter(({ effects }) => effects.length > 1).map(({ order }) => order));
  const byFault = Map.groupBy(history.calls, ({ id }) => attribution.of(id));
  return {
    byFault: new Map([...byFault].map(([fault, calls]) => [fault, count(calls, { ended, doubled })])),
    violations: rules
      .flatMap((rule) => rule({ history, attribution }))
      .filter(({ call }) => call === undefined || !attribution.isExcused(call)),
  };
}

function count(
  calls: readonly CallRecord[],
  { ended, doubled }: { readonly ended: ReadonlySet<string>; readonly doubled: ReadonlySet<string> },
): Counts {
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
    doubled: calls.filter(({ id }) => doubled.has(id)).length,
    resumed: calls.filter(({ events }) => (events.at(-1)?.connection ?? 1) > (events[0]?.connection ?? 1)).length,
  };
}

/** Of several runs as of one. */
export function allOf(verdicts: readonly Verdict[]): Verdict {
  const byFault = new Map<string, Counts>();
  for (const [fault, counts] of verdicts.flatMap((verdict) => [...verdict.byFault]))
    byFault.set(fault, sum([byFault.get(fault) ?? none, counts]));
  return { byFault, violations: verdicts.flatMap(({ violations }) => violations) };
}

export const none: Counts = {
  attempted: 0,
  acknowledged: 0,
  ok: 0,
  failed: 0,
  recovered: 0,
  lost: 0,
  indeterminate: 0,
  ranAgain: 0,
  doubled: 0,
  resumed: 0,
};

export function sum(list: Iterable<Counts>): Counts {
  const all = [...list];
  const of = (name: keyof Counts): number => all.reduce((total, counts) => total + counts[name], 0);
  return {
    attempted: of('attempted'),
    acknowledged: of('acknowledged'),
    ok: of('ok'),
    failed: of('failed'),
    recovered: of('recovered'),
    lost: of('lost'),
    indeterminate: of('indeterminate'),
    ranAgain: of('ranAgain'),
    doubled: of('doubled'),
    resumed: of('resumed'),
  };
}
