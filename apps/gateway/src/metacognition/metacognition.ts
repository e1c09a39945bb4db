import type { Metacognition } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import { findingsOf, type Evaluated } from './checks.js';

/** Reviews an answer. Resolves with null when nothing is wrong, else with what would be right. It may throw. */
export type Checker = (evaluated: Evaluated, signal: AbortSignal) => Promise<string | null>;

const remedies = {
  empty: 'Ask more widely, or say that nothing is known.',
  unrelated: 'Ask again in other words, or with another tool; do not answer from this.',
  stale: 'Say of when it is, or look for newer.',
  unsupported: 'Leave out what the sources do not say.',
  tone: 'Say it again as it was asked for.',
} as const;

/** Reviews by rules alone, so the same answer always gets the same review. */
export const byRules: Checker = async (evaluated) => {
  const findings = findingsOf(evaluated);
  return findings.length === 0 ? null : findings.map(({ check, message }) => `${message}. ${remedies[check]}`).join(' ');
};

/** A review that takes longer than this is given up. */
const limitMs = 10_000;

/** Reviews a success for callers who asked for it (TU-111, TU-112). If the checker fails, the answer is marked as unchecked. */
export async function secondLook(checker: Checker, evaluated: Evaluated, log: Pick<Logger, 'warn'>): Promise<Metacognition> {
  try {
    const correction = await checker(evaluated, AbortSignal.timeout(limitMs));
    return correction === null ? { checked: true, needs_correction: false } : { checked: true, needs_correction: true, correction };
  } catch (error) {
    log.warn({ event: 'metacognition-failed', err: error }, 'an answer could not be checked');
    return { checked: false };
  }
}
