import { newNamespace, testRedis } from '#lib/testing';
import { domains, type LoggedEvent } from '#lib/contracts';
import type { Follower } from './follower.js';
import { ending, newCaller, request, storeOn } from '../record/test-invocations.js';

export const never = new AbortController().signal;

/** The store of a test file, over a connection of its own. */
export function openStore() {
  const namespace = newNamespace();
  const redis = testRedis(namespace);
  const { keys, store, log } = storeOn(redis, namespace);

  /** An accepted invocation; `run` takes it up and tells so many outputs. */
  async function accepted(deadline = Date.now() + 60_000) {
    const asked = request(newCaller(), { deadline });
    const { jobId, head } = asked;
    await store.accept({ ...domains.profile, maxOpen: 100_000, tenantShare: 1 }, asked);
    return {
      jobId,
      run: async (outputs: number) => {
        await store.begin(jobId, 0);
        for (let n = 1; n <= outputs; n++) await store.attempts.output(jobId, 1, [n]);
      },
      end: (rest: Parameters<typeof ending>[0] = {}) => store.finish({ jobId, head, ending: ending(rest), attempt: null }),
    };
  }

  return { redis, keys, store, log, accepted };
}

export async function collected(follower: Follower, after = 1, signal = never): Promise<LoggedEvent[]> {
  const entries: LoggedEvent[] = [];
  for await (const entry of follower.events(after, signal)) entries.push(entry);
  return entries;
}
export const seqs = (entries: readonly LoggedEvent[]) => entries.map(({ seq }) => seq);
