import { newNamespace, testRedis } from '#lib/testing';
import { domains, type LoggedEvent } from '#lib/contracts';
import type { Follower } from './follower.js';
import { ending, newCaller, request, storeOn } from '../record/test-invocations.js';

const namespace = newNamespace();
export const redis = testRedis(namespace);
export const { keys, store, log } = storeOn(redis, namespace);
export const never = new AbortController().signal;

/** An accepted invocation; `run` takes it up and tells so many outputs. */
export async function accepted(deadline = Date.now() + 60_000) {
  const asked = request(newCaller(), { deadline });
  const { jobId, head } = asked;
  await store.accept({ ...domains.profile, maxOpen: 100_000, tenantShare: 1 }, asked);
  return {
    jobId,
    run: async (outputs: number) => {
      await store.begin(jobId, 0);
      for (let n = 1; n <= outputs; n++) await store.output(jobId, 1, [n]);
    },
    end: (rest: Parameters<typeof ending>[0] = {}) => store.finish({ jobId, head, ending: ending(rest), run: null }),
  };
}

export async function collected(follower: Follower, after = 1, signal = never): Promise<LoggedEvent[]> {
  const entries: LoggedEvent[] = [];
  for await (const entry of follower.events(after, signal)) entries.push(entry);
  return entries;
}
export const seqs = (entries: readonly LoggedEvent[]) => entries.map(({ seq }) => seq);
