import type { SucceedingProcess } from '#lib/platform';
import type { RedisClient } from '../redis/redis-client.js';
import type { SweptFor } from '../redis/partition-keys.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { partitionOfJob, type Partition } from '../redis/partition.js';
import { listOf } from '../redis/script.js';
import { patrol } from '../scripts/patrol.js';
import { queueDepth } from '../scripts/queue-depth.js';
import { Leases } from './leases.js';

/** How many calls of a partition there are. */
export interface QueueDepth {
  /** All that have not ended. */
  readonly open: number;
  readonly waiting: number;
  readonly active: number;
  /** Until they are tried again. */
  readonly delayed: number;
  /** At rest: they are not open. */
  readonly resting: number;
  /** When the one that has waited longest was accepted, in epoch ms; null where none waits. */
  readonly oldestAt: number | null;
  /** Ended calls that are not in the history yet, how old the oldest is in ms, and how many found no room since Redis was empty. */
  readonly ended: { readonly waiting: number; readonly oldestMs: number; readonly lost: number };
}

/** Part of a list. */
interface Page {
  readonly offset: number;
  readonly limit: number;
}

interface SweepOptions {
  readonly partition: Partition;
  /** Who sweeps for one does not keep others from another. */
  readonly what: SweptFor;
  readonly restMs: number;
}

/** The open invocations of each partition: what is waiting, active or delayed, by deadline. */
export class OpenCalls {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;
  readonly #leases: Leases;

  constructor(redis: RedisClient, keys: RedisKeys, succeeds: SucceedingProcess | null) {
    this.#redis = redis;
    this.#keys = keys;
    this.#leases = new Leases(redis, succeeds);
  }

  /** How many there are. */
  async count(partition: Partition): Promise<number> {
    return this.#redis.zcard(this.#keys.open(partition));
  }

  /** How the queue stands, in one cheap read. The oldest is found among the next and 15 other places of a longer queue. */
  async depth(partition: Partition): Promise<QueueDepth> {
    const queue = (name: string): string => this.#keys.queue(partition, name);
    const keys = {
      open: this.#keys.open(partition),
      wait: queue('wait'),
      prioritized: queue('prioritized'),
      active: queue('active'),
      delayed: queue('delayed'),
      ended: this.#keys.endedCalls(partition),
      endedLost: this.#keys.endedCallsLost(partition),
      resting: this.#keys.resting(partition),
    };
    const reply = listOf(await queueDepth.run(this.#redis, { keys, args: { queuePrefix: queue('') } })).map(Number);
    const [open = 0, waiting = 0, active = 0, delayed = 0, oldestAt = 0, endedWaiting = 0, oldestMs = 0, lost = 0, resting = 0] = reply;
    return { open, waiting, active, delayed, resting, oldestAt: oldestAt || null, ended: { waiting: endedWaiting, oldestMs, lost } };
  }

  /** Ids of those whose deadline is at or before `until`, in epoch ms, earliest first. */
  async until(partition: Partition, until: number | '+inf', { offset, limit }: Page): Promise<readonly string[]> {
    return this.#redis.zrangebyscore(this.#keys.open(partition), '-inf', until, 'LIMIT', offset, limit);
  }

  /** Forgets an entry whose record is gone. */
  async forget(jobId: string): Promise<void> {
    await this.#redis.zrem(this.#keys.open(partitionOfJob(jobId)), jobId);
  }

  /** Ids of those that were accepted at or before a time, in epoch ms, without their job, and that nobody called `enqueued` for. */
  async unqueued(partition: Partition, until: number, limit: number): Promise<readonly string[]> {
    return this.#redis.zrangebyscore(this.#keys.unqueued(partition), '-inf', until, 'LIMIT', 0, limit);
  }

  /** The job of a call that was accepted without it is in the queue now, or is not needed any more. */
  async enqueued(jobId: string): Promise<void> {
    await this.#redis.zrem(this.#keys.unqueued(partitionOfJob(jobId)), jobId);
  }

  /**
   * Looks at one page of the list, at the cost of the page.
   * @returns how many it looked at, and those whose job the queue does not know or has ended
   */
  async patrol(partition: Partition, { offset, limit }: Page): Promise<{ readonly seen: number; readonly suspects: readonly string[] }> {
    const call = {
      keys: { open: this.#keys.open(partition) },
      args: { queuePrefix: this.#keys.queue(partition, ''), from: offset, limit },
    };
    const [seen, suspects] = listOf(await patrol.run(this.#redis, call));
    return { seen: Number(seen), suspects: listOf(suspects ?? []).map(String) };
  }

  /**
   * Sweeps a partition, unless another process sweeps it for the same or has just done so. Afterwards nobody does for `restMs`.
   * @returns whether it swept
   */
  async sweepAlone({ partition, what, restMs }: SweepOptions, sweep: () => Promise<void>): Promise<boolean> {
    return this.alone(this.#keys.sweeper(partition, what), restMs, sweep);
  }

  /** The same for what a lease in Redis names. */
  async alone(lease: string, restMs: number, sweep: () => Promise<void>): Promise<boolean> {
    return this.#leases.alone(lease, restMs, sweep);
  }
}
