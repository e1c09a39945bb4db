import { onceASecond } from '#lib/platform';
import { partitionOf, type RedisKeys } from '#lib/transport';
import type { CalledTool } from '#lib/contracts';
import { Waker } from '#lib/worker';
import type { ServedDirectory } from './served-directory.js';
import { servedProcessor, type ServedProcessorParts } from './served-processor.js';

/** How long no gateway sweeps after one has, in ms. */
const restMs = 4_000;
/** Calls of one domain that a sweep looks at. */
const mostSwept = 500;
/** How often it is looked for calls in domains that nobody noted: those that an older gateway accepted. */
const patrolMs = 3_600_000;

export interface UnservedCallsParts extends ServedProcessorParts {
  readonly directory: Pick<ServedDirectory, 'unserved' | 'queues' | 'approvedQueues' | 'busy' | 'isServed' | 'find'>;
  readonly keys: RedisKeys;
}

/**
 * Ends calls that are past their deadline, and those of tools that nobody serves, in the domains where no gateway takes jobs. One gateway
 * does it at a time, for all tenants; without such calls it does nothing.
 */
export class UnservedCalls {
  readonly #parts: UnservedCallsParts;
  readonly #report: (error: unknown) => void;
  #patrolledAt = -Infinity;

  constructor(parts: UnservedCallsParts) {
    this.#parts = parts;
    this.#report = onceASecond((error: unknown) => parts.log.warn({ event: 'serving-fault', err: error }, 'a domain could not be swept'));
  }

  /** @param now epoch ms */
  async sweep(now: number): Promise<void> {
    const { directory, store, keys } = this.#parts;
    if (now - this.#patrolledAt > patrolMs && directory.approvedQueues.length > 0) await this.#patrol(now);
    if (directory.unserved.length === 0) return;
    await store.open.alone(keys.soleSweeper('unserved'), restMs, async () => {
      // What is wrong with the queue of one tenant is no matter of the others.
      for (const queue of directory.unserved) await this.#sweepOne(queue, now).catch(this.#report);
    });
  }

  async #sweepOne(queue: string, now: number): Promise<void> {
    const { directory, store } = this.#parts;
    const partition = partitionOf(queue);
    await this.#wake(queue, now);
    const jobIds = await store.open.until(partition, '+inf', { offset: 0, limit: mostSwept });
    if (jobIds.length === 0) {
      const { open, ended, resting } = await store.open.depth(partition);
      if (open === 0 && ended.waiting === 0 && resting === 0) await directory.busy.forget(queue, now);
      return;
    }
    const { processor } = this.#processorOf(queue);
    for (const jobId of jobIds) {
      const record = await store.read(jobId);
      if (!record || record.deadline <= now) await processor.ends.expire(jobId);
      else if (!directory.isServed({ queue, name: record.head.tool, version: record.head.version }))
        await processor.ends.endUnserved(jobId);
    }
  }

  /** A call whose rest is over waits for a worker like every other, or ends because none is there. */
  async #wake(queue: string, now: number): Promise<void> {
    const { directory, store, log } = this.#parts;
    const find = ({ tool, version }: CalledTool) => directory.find({ queue, name: tool, version });
    const { ends } = this.#processorOf(queue).processor;
    await new Waker({ partitions: () => [partitionOf(queue)], store, find, ends, log, now: this.#parts.now }).wake(partitionOf(queue), now);
  }

  async #patrol(now: number): Promise<void> {
    const { directory, store } = this.#parts;
    this.#patrolledAt = now;
    const known = new Set(directory.queues);
    for (const queue of directory.approvedQueues) {
      if (known.has(queue)) continue;
      const { open, ended, resting } = await store.open.depth(partitionOf(queue));
      if (open > 0 || ended.waiting > 0 || resting > 0) await directory.busy.note(queue);
    }
  }

  #processorOf(queue: string) {
    return servedProcessor(this.#parts, queue, ({ tool, version }) => this.#handler({ queue, name: tool, version }));
  }

  #handler(served: Parameters<ServedDirectory['find']>[0]) {
    const contract = this.#parts.directory.find(served);
    return contract && { contract, run: async () => Promise.reject(new Error('a sweep runs nothing')) };
  }
}
