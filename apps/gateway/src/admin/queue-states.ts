import { domains, type QueueState, type WorkerList } from '#lib/contracts';
import { boundedDomain, type AdmissionSettings } from '../invocations/admission.js';
import type { InvocationStore, WorkerPresence } from '#lib/transport';

/** How the queue of each domain stands, and who works on it: from Redis, so the same from any gateway. */
export class QueueStates {
  readonly #store: Pick<InvocationStore, 'open'>;
  readonly #presence: Pick<WorkerPresence, 'list'>;

  readonly #bounds: AdmissionSettings;

  constructor(store: Pick<InvocationStore, 'open'>, presence: Pick<WorkerPresence, 'list'>, bounds: AdmissionSettings) {
    this.#bounds = bounds;
    this.#store = store;
    this.#presence = presence;
  }

  async queues(): Promise<QueueState[]> {
    return Promise.all(
      Object.keys(domains).map(async (name) => {
        const [open, workers] = await Promise.all([this.#store.open.count(name), this.#presence.list(name)]);
        return { domain: name, open, limit: boundedDomain(name, this.#bounds).maxOpen, workers: workers.length };
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
