import type { CallRecord } from './call-record.js';
import type { Ending } from './codec.js';

/** What the attempts of a call have reported. */
export interface Reported {
  /** Costs, in millionths of a US dollar. */
  readonly reportedMicros: number;
  /** The model that they asked last; null where they asked none. */
  readonly model: string | null;
}

/** The same as an end has it. */
export function reportedIn({ reportedMicros, model }: Reported): Pick<Ending, 'reportedMicros' | 'model'> {
  return { ...(reportedMicros > 0 && { reportedMicros }), ...(model !== null && { model }) };
}

type KnownTimes = Pick<CallRecord, 'rested' | 'rest' | 'startedAt' | 'attempts' | 'reportedMicros' | 'model'>;

/** What is known of the times and costs of a call that ends outside of its attempts. @param now when it ends, which ends its rest too */
export function timesOf({ rested, rest, startedAt, attempts, ...reported }: KnownTimes, now: number) {
  const restedMs = rest ? (rested.restedMs ?? 0) + Math.max(0, now - rest.since) : rested.restedMs;
  return { ...rested, ...(restedMs !== undefined && { restedMs }), startedAt, attempts, ...reportedIn(reported) };
}
