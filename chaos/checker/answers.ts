// I10: no request hangs, every error is an error envelope, no process dies by itself.
import type { Rule } from './violation.js';

export const hung: Rule = ({ history: { calls }, attribution }) =>
  calls.flatMap(({ id, requests }) =>
    requests
      .filter(({ answer }) => answer === 'hung')
      .map(({ what, gateway, ms }) => {
        const detail = `${id}: ${what} at gateway ${gateway} had no answer in ${ms} ms`;
        return { invariant: 'I10', kind: 'hung', fault: attribution.of(id), detail } as const;
      }),
  );

export const noEnvelope: Rule = ({ history: { calls }, attribution }) =>
  calls.flatMap(({ id, requests }) =>
    requests
      .filter(({ isEnvelope }) => isEnvelope === false)
      .map(({ what, answer }) => {
        const detail = `${id}: ${what} was answered ${answer} without an error envelope`;
        return { invariant: 'I10', kind: 'no-envelope', fault: attribution.of(id), detail } as const;
      }),
  );

/** A valid call got a final error because of an injected fault. The error should have been retryable. */
export const brokenPromise: Rule = ({ history: { calls }, attribution }) =>
  calls
    .filter(({ endedAt, endings }) => endedAt !== null && endings.length === 0)
    .map(({ id, requests }) => {
      const last = requests.at(-1);
      return {
        invariant: 'I10',
        kind: 'refused-for-good',
        fault: attribution.of(id),
        call: id,
        detail: `${id}: ${last?.what} was answered ${last?.answer} ${last?.code ?? ''}`,
      };
    });

export const died: Rule = ({ history: { deaths } }) =>
  deaths.map(({ name, how, at }) => ({
    invariant: 'I10',
    kind: 'died',
    fault: 'run',
    detail: `${name} ended by itself: ${how}, ${new Date(at).toISOString()}`,
  }));
