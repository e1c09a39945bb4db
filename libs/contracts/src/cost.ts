/**
 * The most that a contract may say of one call, and that one report of a handler may: 1,000 US dollars, in millionths of one.
 * @limit calls: cost of one report of a handler, in millionths of a US dollar; the attempt fails
 */
export const mostCostMicros = 1_000_000_000;

/** The most that all reports of one attempt may come to. */
export const mostReportedMicros = 1_000_000_000_000;

/** What is wrong with what a handler reports; null for nothing. */
export function costFault(micros: unknown): string | null {
  if (typeof micros === 'number' && Number.isInteger(micros) && micros >= 0 && micros <= mostCostMicros) return null;
  return `A cost is a whole number of millionths of a US dollar, 0 to ${mostCostMicros}, not ${String(micros)}`;
}
