import { Injectable } from '@nestjs/common';
import { domains, type QueueState, type WorkerList } from '#lib/contracts';
import { boundedDomain } from '../bounded-domain.js';
import { shownDepth } from './shown-depth.js';
import { Stores } from '../stores.js';

/** How the queue of each domain stands, and who works on it: from Redis, so the same from any gateway. */
@Injectable()
export class QueueStates {
  constructor(private readonly stores: Stores) {}

  async queues(): Promise<QueueState[]> {
    return Promise.all(
      Object.keys(domains).map(async (name) => {
        const partitions = this.stores.partitions.all(name);
        const [workers, ...depths] = await Promise.all([
          this.stores.presence.list(name),
          ...partitions.map(async (partition) => this.stores.store.open.depth(partition)),
        ]);
        const limit = boundedDomain(name, this.stores.settings).maxOpen * partitions.length;
        return { domain: name, ...shownDepth(depths), limit, workers: workers.length };
      }),
    );
  }

  /** Those of these domains of which no worker was heard in the last 15 s. */
  async unserved(names: readonly string[]): Promise<readonly string[]> {
    const counts = await Promise.all(names.map(async (name) => (await this.stores.presence.list(name)).length));
    return names.filter((_, index) => counts[index] === 0);
  }

  async workers(): Promise<WorkerList['workers']> {
    return (await Promise.all(Object.keys(domains).map((name) => this.stores.presence.list(name)))).flat();
  }
}
