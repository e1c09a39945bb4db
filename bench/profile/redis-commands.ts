import type { Redis } from 'ioredis';

interface Count {
  readonly calls: number;
  readonly us: number;
}

/** What Redis has done so far, by command. */
export async function commandCounts(redis: Redis): Promise<ReadonlyMap<string, Count>> {
  const text = await redis.info('commandstats');
  return new Map(
    [...text.matchAll(/^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm)].map(([, name = '', calls, us]) => [
      name,
      { calls: Number(calls), us: Number(us) },
    ]),
  );
}

/** The difference a call, the most expensive first; what happens less than once in a hundred calls is left out. */
export function commandLines(before: ReadonlyMap<string, Count>, after: ReadonlyMap<string, Count>, calls: number): readonly string[] {
  return [...after]
    .map(([name, count]) => ({
      name,
      times: (count.calls - (before.get(name)?.calls ?? 0)) / calls,
      us: (count.us - (before.get(name)?.us ?? 0)) / calls,
    }))
    .filter(({ times }) => times >= 0.01)
    .toSorted((a, b) => b.us - a.us)
    .map(({ name, times, us }) => `${name.padEnd(24)}${times.toFixed(2).padStart(8)} times${us.toFixed(1).padStart(10)} µs`);
}

/** Percentiles of the time for which one script holds Redis, since its counts were reset. */
export async function scriptTimes(redis: Redis): Promise<string> {
  const text = await redis.info('latencystats');
  const times = /^latency_percentiles_usec_evalsha:(.*?)\r?$/m.exec(text)?.[1];
  return `A script holds Redis for, in µs: ${times?.replaceAll(',', ', ').replaceAll('=', ' ') ?? 'unknown'}`;
}
