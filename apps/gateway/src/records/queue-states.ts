import { Injectable } from '@nestjs/common';
import { domains, type QueueState, type WorkerList } from '#lib/contracts';
import { boundedDomain, type BoundSettings } from '../bounded-domain.js';
import { shownDepth } from './shown-depth.js';
import type { InvocationStore, Partitions, WorkerPresence } from '#lib/transport';
import { Stores } from '../stores.js';

/** How the queue of each domain stands, and who works on it: from Redis, so the same from any gateway. */
@Injectable()
export class QueueStates {
  readonly #store: Pick<InvocationStore, 'open'>;
  readonly #partitions: Pick<Partitions, 'all'>;
  readonly #presence: Pick<WorkerPresence, 'list'>;
  readonly #bounds: BoundSettings;

  constructor({ store, partitions, presence, settings }: Stores) {
    this.#bounds = settings;
    this.#store = store;
    this.#partitions = partitions;
    this.#presence = presence;
  }

  async queues(): Promise<QueueState[]> {
    return Promise.all(
      Object.keys(domains).map(async (name) => {
        const partitions = this.#partitions.all(name);
        const [workers, ...depths] = await Promise.all([
          this.#presence.list(name),
          ...partitions.map(async (partition) => this.#store.open.depth(partition)),
        ]);
        const limit = boundedDomain(name, this.#bounds).maxOpen * partitions.length;
        return { domain: name, ...shownDepth(depths), limit, workers: workers.length };
      }),
    );
  }

  /** Those of these domains of which no worker was heard in the last 15 s. */
  async unserved(names: readonly string[]): Promise<readonly string[]> {
    const counts = await Promise.all(names.map(async (name) => (await this.#presence.list(name)).length));
    return names.filter((_, index) => counts[index] === 0);
  }

  async workers(): Promise<WorkerList['workers']> {
    return (await Promise.all(Object.keys(domains).map((name) => this.#presence.list(name)))).flat();
  }
}
