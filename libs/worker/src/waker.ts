import { setTimeout as sleep } from 'node:timers/promises';
import { onceASecond, type Logger } from '#lib/platform';
import { queuedJob, type CallRecord, type InvocationStore, type Partition } from '#lib/transport';
import type { CalledTool, ToolContract } from '#lib/contracts';
import type { CallEnds } from './call-ends.js';

/** How often it is looked which rest ends next. One that ends sooner is woken at its time all the same, unless it began just now. */
const lookMs = 1_000;
/** Calls that are read and woken together. */
const together = 160;

interface WakerParts {
  /** Of a domain. */
  readonly partitions: () => readonly Partition[];
  readonly store: Pick<InvocationStore, 'read' | 'resting'>;
  readonly find: (called: CalledTool) => ToolContract | undefined;
  readonly ends: Pick<CallEnds, 'endUndecided' | 'expireAtRest'>;
  /** Epoch milliseconds. Default: this machine's clock. */
  readonly now?: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Wakes calls whose rest is over, and ends those about which nobody decided, and those that waited in a line up to their deadline. Every worker of a domain has one, and they need not agree: waking finds nothing the second time. It has one
 * timer, whatever number of calls rests.
 */
export class Waker {
  readonly #parts: WakerParts;
  readonly #now: () => number;
  readonly #report: (error: unknown) => void;
  #stopping = new AbortController();

  constructor(parts: WakerParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#report = onceASecond((error: unknown) =>
      parts.log.warn({ event: 'sweep-failed', sweep: 'calls at rest', err: error }, 'calls at rest could not be woken; trying again'),
    );
  }

  start(): void {
    this.#stopping = new AbortController();
    void this.#run(this.#stopping.signal);
  }

  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Wakes what is due in a partition.
   * @param now epoch ms
   * @returns when the next rest ends, in epoch ms; null where that is not known
   */
  async wake(partition: Partition, now = this.#now()): Promise<number | null> {
    const { store, find } = this.#parts;
    for (;;) {
      const { jobIds, nextAt } = await store.resting.due(partition, now, together);
      if (jobIds.length === 0) return nextAt;
      const records = await Promise.all(jobIds.map(async (jobId) => this.#read(jobId)));
      const known = records.filter((record) => record !== null);
      await Promise.all(known.map(async (record) => this.#end(record)));
      const requests = known
        .filter((record) => !endsWithItsRest(record))
        .map((record) => ({ record, job: queuedJob({ ...record, contract: find(record.head) }) }));
      await store.resting.wake(partition, requests);
      // What cannot be read must not be read again at once.
      if (jobIds.length < together || requests.length === 0) return nextAt;
    }
  }

  /** One that cannot be ended is tried again, and keeps no other. */
  async #end(record: CallRecord): Promise<void> {
    const { ends } = this.#parts;
    if (record.rest?.reason === 'approval') await ends.endUndecided(record).catch(this.#report);
    if (record.rest?.reason === 'flow') await ends.expireAtRest(record).catch(this.#report);
  }

  /** Null for a record that is gone, or cannot be read: it must not keep the others. */
  async #read(jobId: string): Promise<CallRecord | null> {
    const { store } = this.#parts;
    try {
      const record = await store.read(jobId);
      if (!record) await store.resting.forget(jobId);
      return record;
    } catch (error) {
      this.#report(error);
      return null;
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const found = await Promise.all(this.#parts.partitions().map(async (partition) => this.wake(partition).catch(this.#report)));
      const untilNext = Math.min(...found.map((at) => (typeof at === 'number' ? at - this.#now() : lookMs)));
      await sleep(Math.max(1, Math.min(lookMs, untilNext)), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** A call for which nobody has decided, or that has not had its turn. */
function endsWithItsRest({ rest }: CallRecord): boolean {
  return rest?.reason === 'approval' || rest?.reason === 'flow';
}
