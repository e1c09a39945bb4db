import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { onceASecond, Rounds } from '#lib/platform';
import type { Partition } from '#lib/transport';
import { leadMs, CallArchive } from './call-archive.js';
import { Stores } from '../../stores.js';
import { SharedClock } from '#lib/transport';

const everyMs = 30_000;
/** Of a partition in one round, and how many at once. */
const mostOfRound = 500;
const together = 8;
/** What rests longer than this moves. */
const longMs = 86_400_000;

/**
 * Moves calls that rest for more than a day, or beyond a number, to Postgres, and brings them back before their rest ends. Every gateway has one;
 * several at once do no harm.
 */
@Injectable()
export class CallMover implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #report = onceASecond((error: unknown) =>
    this.stores.log.warn({ event: 'moved-calls-fault', err: error }, 'calls at rest could not be moved; trying again'),
  );
  readonly #rounds = new Rounds({ everyMs, round: async () => this.sweep(), onFault: this.#report });

  constructor(
    @Inject(Stores)
    private readonly stores: Pick<Stores, 'store' | 'allPartitions' | 'log'> & {
      readonly settings: Pick<Stores['settings'], 'RESTING_IN_REDIS'>;
    },
    private readonly archive: CallArchive,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
  }

  /** One round. Rejects when Redis or Postgres is away. */
  async sweep(): Promise<void> {
    const due = await this.archive.due(mostOfRound);
    await this.#each(due, async (row) => this.archive.settle(row));
    for (const partition of this.stores.allPartitions) {
      if (this.#rounds.stopping.aborted) return;
      await this.#each(await this.#leaving(partition), async (jobId) => void (await this.archive.move(jobId)));
    }
  }

  async #leaving(partition: Partition): Promise<readonly string[]> {
    const { moved, resting } = this.stores.store;
    const { RESTING_IN_REDIS: most } = this.stores.settings;
    const far = await moved.farOff(partition, this.clock.now() + longMs, mostOfRound);
    if (far.length === mostOfRound) return far;
    const tooMany = (await resting.count(partition)) - far.length - most;
    // None that would come back at once.
    return tooMany <= 0 ? far : moved.farOff(partition, this.clock.now() + 2 * leadMs, Math.min(mostOfRound, far.length + tooMany));
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
