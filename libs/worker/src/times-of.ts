import { reportedIn, type CallRecord } from '#lib/transport';

type KnownTimes = Pick<CallRecord, 'rested' | 'rest' | 'startedAt' | 'attempts' | 'reportedMicros' | 'model'>;

/** What is known of the times and costs of a call that no attempt of ours ends. @param now when it ends, which ends its rest too */
export function timesOf({ rested, rest, startedAt, attempts, ...reported }: KnownTimes, now: number) {
  const restedMs = rest ? (rested.restedMs ?? 0) + Math.max(0, now - rest.since) : rested.restedMs;
  return { ...rested, ...(restedMs !== undefined && { restedMs }), startedAt, attempts, ...reportedIn(reported) };
}
