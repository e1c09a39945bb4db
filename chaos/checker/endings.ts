// I1–I3, I5: what was accepted is there, ends once, and stays as it ended.
import type { AuditRecord } from '../history/history.js';
import type { Rule } from './violation.js';

/** 404 for a job that an answer had named. */
export const notFound: Rule = ({ history: { calls, audits }, attribution }) => [
  ...calls
    .filter(({ requests }) => requests.some(({ what, answer }) => what !== 'call' && what !== 'audit' && answer === 404))
    .map(
      ({ id, jobIds }) =>
        ({
          invariant: 'I1',
          kind: 'not-found',
          fault: attribution.of(id),
          call: id,
          detail: `${id}: 404 for ${jobIds.join(', ')}`,
        }) as const,
    ),
  ...audits
    .filter(({ status }) => status === 404)
    .map(
      ({ callId, jobId }) =>
        ({
          invariant: 'I1',
          kind: 'not-found',
          fault: attribution.of(callId),
          call: callId,
          detail: `${callId}: 404 for ${jobId} in the end`,
        }) as const,
    ),
];

/** Acknowledged and, after everything has calmed down, still not ended. */
export const lost: Rule = ({ history: { audits }, attribution }) =>
  audits
    .filter((audit) => audit.status !== 404 && !hasEnded(audit))
    .map(({ callId, jobId, status, state }) => {
      const detail = `${callId}: ${jobId} is ${state ?? `unreadable (${status})`}`;
      return { invariant: 'I3', kind: 'lost', fault: attribution.of(callId), call: callId, detail };
    });

export function hasEnded({ state }: AuditRecord): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

/** Ended, and not exactly once in the history of calls, if that was asked. */
export const notInHistoryOnce: Rule = ({ history: { audits }, attribution }) =>
  audits
    .filter((audit) => hasEnded(audit) && audit.inHistory !== undefined && audit.inHistory !== 1)
    .map(({ callId, jobId, inHistory }) => {
      const detail = `${callId}: ${jobId} is in the history ${inHistory} times`;
      return { invariant: 'I3', kind: 'not-in-history-once', fault: attribution.of(callId), call: callId, detail };
    });

/** Two answers gave different endings of one job. */
export const changedEnding: Rule = ({ history: { calls }, attribution }) =>
  calls.flatMap(({ id, endings }) =>
    [...Map.groupBy(endings, ({ jobId }) => jobId)].flatMap(([jobId, [first, ...others]]) => {
      const other = others.find(({ envelope }) => envelope !== first?.envelope);
      if (!first || !other) return [];
      const detail = `${id}: ${jobId} by ${first.where} ${first.envelope} · by ${other.where} ${other.envelope}`;
      return [{ invariant: 'I2', kind: 'changed-ending', fault: attribution.of(id), call: id, detail } as const];
    }),
  );

/** One idempotency key, two jobs. */
export const splitKey: Rule = ({ history: { calls }, attribution }) =>
  calls
    .filter(({ jobIds }) => jobIds.length > 1)
    .map(({ id, jobIds }) => ({
      invariant: 'I5',
      kind: 'split-key',
      fault: attribution.of(id),
      call: id,
      detail: `${id}: ${jobIds.join(' and ')}`,
    }));
