// I9 and I11: the system recovers by itself. The run is meaningful: each fault hit calls, and most calls succeeded.
import type { CallRecord, FaultRecord } from '../history/history.js';
import { faultsDuring } from './attribution.js';
import type { Rule } from './violation.js';

/** Calls that each fault must find running, or it says too little. */
export const wantedHits = 20;
const wantedSuccess = 0.7;

export const notRecovered: Rule = ({ history: { faults } }) =>
  faults
    .filter(({ recoveryMs }) => recoveryMs === null)
    .map(({ id }) => ({ invariant: 'I9', kind: 'not-recovered', fault: id, detail: 'the throughput did not come back in time' }));

export const notInjected: Rule = ({ history: { faults } }) =>
  faults.flatMap(({ id, error }) => (error === null ? [] : [{ invariant: 'I11', kind: 'not-injected', fault: id, detail: error }]));

/** Something that the fault itself looked at, such as the time in which a process ends. */
export const notAsPromised: Rule = ({ history: { faults } }) =>
  faults.flatMap(({ id, findings }) =>
    findings.map((detail) => ({ invariant: 'I8', kind: 'not-as-promised', fault: id, detail }) as const),
  );

export const nothingLost: Rule = ({ history: { faults, calls, audits } }) =>
  faults
    .filter(({ loss }) => loss?.isCertain)
    .filter(({ healedAt }) => {
      const before = new Set(calls.filter(({ startedAt }) => startedAt <= healedAt).map(({ id }) => id));
      return !audits.some(({ callId, status }) => status === 404 && before.has(callId));
    })
    .map(({ id }) => ({ invariant: 'I11', kind: 'nothing-lost', fault: id, detail: 'it was to lose acknowledged calls, and lost none' }));

export const tooFewHits: Rule = ({ history: { faults } }) =>
  faults
    .filter(({ hit, error }) => error === null && hit < wantedHits)
    .map(({ id, hit }) => ({
      invariant: 'I11',
      kind: 'too-few-hits',
      fault: id,
      detail: `hit ${hit} invocations in flight, ${wantedHits} are wanted`,
    }));

export const tooFewSuccesses: Rule = ({ history: { calls } }) => {
  const ok = calls.filter(isOk).length;
  if (calls.length > 0 && ok >= wantedSuccess * calls.length) return [];
  return [{ invariant: 'I11', kind: 'too-few-successes', fault: 'run', detail: `${ok} of ${calls.length} calls succeeded` }];
};

/** A call must survive one fault. A job that was hit by two may be given up as poison. */
const survivable = 1;

/** A call that failed although nothing, or a single fault, happened to it, and its client did not cancel it. */
export const needlessFailure: Rule = ({ history: { faults, calls }, attribution }) =>
  calls
    .filter((call) => call.endedAt !== null && call.endings[0]?.ok === false && !isCancelled(call))
    .filter((call) => !isExplained(call, faultsDuring(call, faults)))
    .map(({ id, endings }) => ({
      invariant: 'I9',
      kind: 'needless-failure',
      fault: attribution.of(id),
      call: id,
      detail: `${id}: ${endings[0]?.envelope}`,
    }));

function isExplained({ kind }: CallRecord, during: readonly FaultRecord[]): boolean {
  return during.length > survivable || during.some(({ mayFail }) => mayFail.includes(kind));
}

function isCancelled({ requests, endings }: CallRecord): boolean {
  return endings[0]?.code === 'CANCELLED' && requests.some(({ what }) => what === 'cancel');
}

/** Its client got this as an answer. */
export function isOk({ endedAt, endings }: CallRecord): boolean {
  return endedAt !== null && (endings[0]?.ok ?? false);
}
