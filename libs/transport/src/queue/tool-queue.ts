import { Queue } from 'bullmq';
import { domainNamed, domains } from '#lib/contracts';
import { jobOptions, shownCompleted, shownDays, shownFailed, type JobData, type QueuedJob } from '../record/queued-job.js';
import type { RedisClient } from '../redis/redis-client.js';
import { type RedisKeys } from '../redis/redis-keys.js';
import { domainOf, partitionOf, partitionOfJob, type Partition } from '../redis/partition.js';

/** One BullMQ queue for each partition. All but the first ones of our domains are opened when they are first used. */
export class ToolQueues {
  readonly #connection: RedisClient;
  readonly #keys: RedisKeys;
  readonly #queues = new Map<Partition, Queue<JobData>>();

  /** @param names of domains; default: all of ours */
  constructor(connection: RedisClient, keys: RedisKeys, names: readonly string[] = Object.keys(domains)) {
    this.#connection = connection;
    this.#keys = keys;
    for (const name of names) this.#open(partitionOf(name));
  }

  /** Adding twice is the same as once while BullMQ knows the job; after that the record's end keeps it from running. */
  async add(job: QueuedJob): Promise<void> {
    await this.#of(job.jobId).add(job.tool, job.shown, jobOptions(job));
  }

  /** BullMQ's own word for the job's place, `unknown` when it has none. */
  async stateOf(jobId: string): Promise<string> {
    return this.#of(jobId).getJobState(jobId);
  }

  /** Takes a job that has not started out of the queue. A started one stays; its worker is told otherwise. */
  async drop(jobId: string): Promise<void> {
    await this.#of(jobId).remove(jobId);
  }

  /** Takes jobs off the board that ended 7 days ago. BullMQ itself looks for them only when another one fails. */
  async forgetEnded(partition: Partition): Promise<void> {
    const most = shownCompleted.count + shownFailed.count;
    for (const state of ['completed', 'failed'] as const) await this.queue(partition).clean(shownDays * 24 * 3_600_000, most, state);
  }

  queue(partition: Partition): Queue<JobData> {
    const queue = this.#queues.get(partition);
    if (queue) return queue;
    const domain = domainOf(partition);
    if (!domainNamed(domain)) throw new RangeError(`No queue for the domain "${domain}"`);
    return this.#open(partition);
  }

  all(): readonly Queue<JobData>[] {
    return [...this.#queues.values()];
  }

  /** Closes those of tenants' domains that are not among these. */
  async keepOwn(domainNames: readonly string[]): Promise<void> {
    const left = [...this.#queues].filter(([partition]) => isOwn(domainOf(partition)) && !domainNames.includes(domainOf(partition)));
    for (const [partition] of left) this.#queues.delete(partition);
    await Promise.all(left.map(async ([, queue]) => queue.close()));
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map((queue) => queue.close()));
  }

  #of(jobId: string): Queue<JobData> {
    return this.queue(partitionOfJob(jobId));
  }

  #open(partition: Partition): Queue<JobData> {
    const queue = new Queue<JobData>(partition, { connection: this.#connection, prefix: this.#keys.queuePrefix(partition) });
    // Callers see a failed command where they await it; without a listener the same fault would end the process.
    queue.on('error', () => undefined);
    this.#queues.set(partition, queue);
    return queue;
  }
}

function isOwn(domainName: string): boolean {
  return !Object.hasOwn(domains, domainName);
}
