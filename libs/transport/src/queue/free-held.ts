import type { Partition } from '../redis/partition.js';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { freeHeld as script } from '../scripts/free-held.js';

/**
 * Frees the jobs of a partition that ended processes hold, and those whose locks are over. What becomes of them is up to BullMQ's check for stalled jobs, which must follow.
 * @param ended names of processes, with which the tokens of their locks begin
 * @returns how many jobs
 */
export async function freeHeld(
  redis: RedisClient,
  keys: RedisKeys,
  { partition, ended }: { readonly partition: Partition; readonly ended: readonly string[] },
): Promise<number> {
  const queue = (name: string): string => keys.queue(partition, name);
  const freed = await script.run(redis, {
    keys: { active: queue('active'), stalled: queue('stalled'), stalledCheck: queue('stalled-check'), offer: keys.offer(partition) },
    args: { queuePrefix: queue('') },
    moreArgs: ended,
  });
  return Number(freed);
}
