// I9 and I11: the system recovers by itself. The run is meaningful: each fault hit calls, and most calls succeeded.
import type { CallRecord } from '../history/history.js';
import { faultsDuring } from './attribution.js';
import type { Rule } from './violation.js';

const wantedHits = 20;
const wantedSuccess = 0.7;

export const notRecovered: Rule = ({ history: { faults } }) =>
  faults
    .filter(({ recoveryMs }) => recoveryMs === null)
    .map(({ id }) => ({ invariant: 'I9', kind: 'not-recovered', fault: id, detail: 'the throughput did not come back in time' }));

export const notInjected: Rule = ({ history: { faults } }) =>
  faults.flatMap(({ id, error }) => (error === null ? [] : [{ invariant: 'I11', kind: 'not-injected', fault: id, detail: error }]));

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

/** A call that failed although nothing, or a single fault, happened to it. */
export const needlessFailure: Rule = ({ history: { faults, calls }, attribution }) =>
  calls
    .filter((call) => call.endedAt !== null && call.endings[0]?.ok === false && faultsDuring(call, faults).length <= survivable)
    .map(({ id, endings }) => ({
      invariant: 'I9',
      kind: 'needless-failure',
      fault: attribution.of(id),
      detail: `${id}: ${endings[0]?.envelope}`,
    }));

/** Its client got this as an answer. */
export function isOk({ endedAt, endings }: CallRecord): boolean {
  return endedAt !== null && (endings[0]?.ok ?? false);
}
