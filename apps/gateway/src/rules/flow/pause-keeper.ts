import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Rounds } from '#lib/platform';
import { queuedJob, type Partition } from '#lib/transport';
import { Stores } from '../../stores.js';
import { PauseDirectory } from './pause-directory.js';
import { PauseStore } from './pause-store.js';
import { reportingPauses } from './reporting.js';

const everyMs = 5_000;
/** Calls that are read and woken together. */
const together = 160;

/**
 * Tells the workers of every partition what is paused, and wakes calls whose pause is over. Every gateway has one, and does all of it: what was read last
 * stays, and waking finds nothing the second time. So it needs no gateway that lives on.
 */
@Injectable()
export class PauseKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #onFault: (error: unknown) => void;
  readonly #rounds: Rounds;
  #waking: Promise<void> | null = null;
  /** Pauses whose calls are woken once more, by partition. */
  readonly #over = new Map<Partition, Set<string>>();
  /** Calls that wait for each pause, as of the last look. */
  #waiting: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly stores: Stores,
    private readonly directory: PauseDirectory,
    private readonly store: PauseStore,
  ) {
    this.#onFault = reportingPauses(stores.log);
    this.#rounds = new Rounds({ everyMs, round: async () => this.look(), onFault: this.#onFault });
  }

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
    await this.#waking;
  }

  /** How many calls waited for a pause at the last look, which is seconds ago. */
  waitingFor(pauseId: string): number {
    return this.#waiting.get(pauseId) ?? 0;
  }

  /** After a change: once it returns, no worker begins what is paused. Others learn of it. Rejects when a store is away. */
  async changed(): Promise<void> {
    const number = await this.store.nextNumber();
    await this.directory.changed();
    await this.#apply(number);
  }

  /** Rejects when a store is away. */
  async look(): Promise<void> {
    const number = await this.store.nextNumber();
    await this.directory.refresh();
    await this.#apply(number);
  }

  async #apply(number: number): Promise<void> {
    const { store: calls, partitions, queueNames } = this.stores;
    const all = this.directory.all;
    const ids = new Set(all.map(({ id }) => id));
    const sums = new Map<string, number>();
    await Promise.all(
      queueNames.map(async (queue) => {
        const pauses = all.filter((pause) => pause.isIn(queue)).map((pause) => pause.ofPartition);
        for (const partition of partitions.all(queue)) {
          for (const [id, count] of await calls.paused.set(partition, { number, pauses })) {
            sums.set(id, (sums.get(id) ?? 0) + count);
            if (!ids.has(id)) this.#over.set(partition, (this.#over.get(partition) ?? new Set()).add(id));
          }
        }
      }),
    );
    this.#waiting = sums;
    if (this.#over.size > 0) this.#waking ??= this.#wakeAll().finally(() => (this.#waking = null));
  }

  /** Never rejects: what could not be woken is found by the next look. */
  async #wakeAll(): Promise<void> {
    for (const [partition, ids] of this.#over) {
      this.#over.delete(partition);
      for (const id of ids) await this.#wake(partition, id).catch(this.#onFault);
    }
  }

  async #wake(partition: Partition, id: string): Promise<void> {
    const { store: calls, catalog } = this.stores;
    while (!this.#rounds.stopping.aborted) {
      const jobIds = await calls.paused.waiting(partition, id, together);
      if (jobIds.length === 0) return;
      const records = await Promise.all(jobIds.map(async (jobId) => ({ jobId, record: await calls.read(jobId) })));
      const requests = records.flatMap(({ record }) =>
        record?.rest?.pause?.id === id ? [{ record, job: queuedJob({ ...record, contract: catalog.contractOf(record.head) }) }] : [],
      );
      await calls.resting.wake(partition, requests);
      const woken = new Set(requests.map(({ record }) => record.jobId));
      for (const { jobId } of records) if (!woken.has(jobId)) await calls.paused.forget(partition, id, jobId);
    }
  }
}
