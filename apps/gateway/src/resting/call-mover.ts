import { setTimeout } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { onceASecond, type Logger } from '#lib/platform';
import type { InvocationStore, Partition } from '#lib/transport';
import { leadMs, type CallArchive } from './call-archive.js';

const everyMs = 30_000;
/** After a fault. */
const pauseMs = 30_000;
/** Of a partition in one round, and how many at once. */
const mostOfRound = 500;
const together = 8;
/** What rests longer than this moves. */
const longMs = 86_400_000;

interface CallMoverParts {
  readonly archive: Pick<CallArchive, 'move' | 'due' | 'settle'>;
  readonly resting: Pick<InvocationStore['resting'], 'count'>;
  readonly moved: Pick<InvocationStore['moved'], 'farOff'>;
  readonly partitions: () => readonly Partition[];
  /** Calls that may rest in a partition of Redis. */
  readonly most: number;
  readonly log: Pick<Logger, 'warn'>;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
}

/**
 * Moves calls that rest for more than a day, or beyond a number, to Postgres, and brings them back before their rest ends. Every gateway has one;
 * several at once do no harm.
 */
export class CallMover implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #parts: CallMoverParts;
  readonly #stopping = new AbortController();
  readonly #report: (error: unknown) => void;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: CallMoverParts) {
    this.#parts = parts;
    this.#report = onceASecond((error: unknown) =>
      parts.log.warn({ event: 'moved-calls-fault', err: error }, 'calls at rest could not be moved; trying again'),
    );
  }

  onApplicationBootstrap(): void {
    this.#running = this.#run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** One round. Rejects when Redis or Postgres is away. */
  async sweep(): Promise<void> {
    const { archive, partitions } = this.#parts;
    const due = await archive.due(mostOfRound);
    await this.#each(due, async (row) => archive.settle(row));
    for (const partition of partitions()) {
      if (this.#stopping.signal.aborted) return;
      await this.#each(await this.#leaving(partition), async (jobId) => void (await archive.move(jobId)));
    }
  }

  async #leaving(partition: Partition): Promise<readonly string[]> {
    const { moved, resting, most, now } = this.#parts;
    const far = await moved.farOff(partition, now() + longMs, mostOfRound);
    if (far.length === mostOfRound) return far;
    const tooMany = (await resting.count(partition)) - far.length - most;
    // None that would come back at once.
    return tooMany <= 0 ? far : moved.farOff(partition, now() + 2 * leadMs, Math.min(mostOfRound, far.length + tooMany));
  }

  /** One that fails does not keep the others. */
  async #each<Item>(items: readonly Item[], handle: (item: Item) => Promise<void>): Promise<void> {
    const left = [...items];
    const work = async (): Promise<void> => {
      for (let item = left.shift(); item !== undefined && !this.#stopping.signal.aborted; item = left.shift())
        await handle(item).catch(this.#report);
    };
    await Promise.all(Array.from({ length: together }, work));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let waitMs = everyMs; !signal.aborted; waitMs = await this.#turn())
      // Jitter keeps gateways from asking at the same moment.
      await setTimeout(waitMs * (0.8 + 0.4 * Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
  }

  /** @returns when to look again, in ms */
  async #turn(): Promise<number> {
    try {
      await this.sweep();
      return everyMs;
    } catch (error) {
      this.#report(error);
      return pauseMs;
    }
  }
}
