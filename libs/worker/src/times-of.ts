import type { InvocationRecord } from '#lib/transport';

/** What is known of the times of a call that no attempt of ours ends. @param now when it ends, which ends its rest too */
export function timesOf({ rested, rest, startedAt, runs }: Pick<InvocationRecord, 'rested' | 'rest' | 'startedAt' | 'runs'>, now: number) {
  const restedMs = rest ? (rested.restedMs ?? 0) + Math.max(0, now - rest.since) : rested.restedMs;
  return { ...rested, ...(restedMs !== undefined && { restedMs }), startedAt, attempts: runs };
}
