import { Job } from 'bullmq';
import type { JobData } from '#lib/transport';
import type { ManualWorker } from './manual-worker.js';

/** What a processor needs of the job that it works on. */
export interface QueueJob {
  readonly id?: string | undefined;
  /** Gives it back to the queue, before those that wait. */
  moveToWait(token: string): Promise<unknown>;
  /** Gives it back until a time. @param at epoch milliseconds */
  moveToDelayed(at: number, token: string): Promise<unknown>;
}

/** A job in a worker's hands. BullMQ's own form of it is read when something rare is done with it. */
export class HeldJob implements QueueJob {
  readonly id: string;
  readonly #worker: ManualWorker;
  #job: Promise<Job<JobData, string> | undefined> | null;

  constructor(worker: ManualWorker, id: string, found: Job<JobData, string> | null = null) {
    this.#worker = worker;
    this.id = id;
    this.#job = found && Promise.resolve(found);
  }

  /** Undefined when the queue does not know it any more. */
  async read(): Promise<Job<JobData, string> | undefined> {
    return (this.#job ??= Job.fromId<JobData, string>(this.#worker, this.id));
  }

  async moveToWait(token: string): Promise<void> {
    const job = await this.read();
    await job?.moveToWait(token);
  }

  async moveToDelayed(at: number, token: string): Promise<void> {
    const job = await this.read();
    await job?.moveToDelayed(at, token);
  }

  /** In the queue alone, whose call was ended by somebody else. */
  async moveToCompleted(value: string, token: string): Promise<void> {
    const job = await this.read();
    await job?.moveToCompleted(value, token, false);
  }

  async moveToFailed(error: unknown, token: string): Promise<void> {
    const job = await this.read();
    await job?.moveToFailed(error instanceof Error ? error : new Error(String(error)), token, false);
  }
}
