import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { onceASecond, Rounds, type Logger } from '#lib/platform';
import type { InvocationStore, Partition } from '#lib/transport';
import { leadMs, CallArchive } from './call-archive.js';
import { Stores } from '../../stores.js';
import { SharedClock } from '#lib/transport';

const everyMs = 30_000;
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
@Injectable()
export class CallMover implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #parts: CallMoverParts;
  readonly #rounds: Rounds;
  readonly #report: (error: unknown) => void;

  constructor(
    @Inject(Stores)
    stores: Pick<CallMoverParts, 'log'> & {
      readonly store: Pick<CallMoverParts, 'resting' | 'moved'>;
      readonly allPartitions: readonly Partition[];
      readonly settings: Pick<Stores['settings'], 'RESTING_IN_REDIS'>;
    },
    @Inject(CallArchive) archive: CallMoverParts['archive'],
    @Inject(SharedClock) { now }: Pick<SharedClock, 'now'>,
  ) {
    const { log, settings } = stores;
    this.#parts = {
      log,
      archive,
      now,
      most: settings.RESTING_IN_REDIS,
      resting: stores.store.resting,
      moved: stores.store.moved,
      partitions: () => stores.allPartitions,
    };
    this.#report = onceASecond((error: unknown) =>
      log.warn({ event: 'moved-calls-fault', err: error }, 'calls at rest could not be moved; trying again'),
    );
    this.#rounds = new Rounds({ everyMs, round: async () => this.sweep(), onFault: this.#report });
  }

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
  }

  /** One round. Rejects when Redis or Postgres is away. */
  async sweep(): Promise<void> {
    const { archive, partitions } = this.#parts;
    const due = await archive.due(mostOfRound);
    await this.#each(due, async (row) => archive.settle(row));
    for (const partition of partitions()) {
      if (this.#rounds.stopping.aborted) return;
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
      for (let item = left.shift(); item !== undefined && !this.#rounds.stopping.aborted; item = left.shift())
        await handle(item).catch(this.#report);
    };
    await Promise.all(Array.from({ length: together }, work));
  }
}
