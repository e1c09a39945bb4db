import { createRedisBackend, type BackendFactory, type RedisQueueBackend } from 'bullmq';
import type { BeginResult } from './begin-result.js';
import type { FinishRequest, FinishResult } from './finish-result.js';
import type { InvocationStore } from './invocation-store.js';
import type { Partition } from './redis-keys.js';

/** Where a run begins and ends, beside the steps of the queue. */
export interface RunSteps {
  /** Makes the backend of the worker's queue. */
  readonly backend: BackendFactory<RedisQueueBackend>;
  /** The next job of a queue is asked for in Redis, whatever an earlier answer said: time has passed that its backend does not know of. */
  looksAgain(partition: Partition): void;
  /** Starts a run of a job that was taken under this token. @param now epoch milliseconds */
  begin(jobId: string, token: string, now: number): Promise<BeginResult>;
  /**
   * Ends a call whose job completes next. The end may be written together with the completion, when the processor has returned.
   * @param onEnded called once it is written
   */
  complete(token: string, request: FinishRequest, onEnded: (finished: FinishResult) => void): Promise<void>;
}

/** BullMQ's own scripts move the job; the run begins and ends in steps of their own. */
export class SeparateSteps implements RunSteps {
  readonly backend = createRedisBackend;
  readonly #store: Pick<InvocationStore, 'begin' | 'finish'>;

  constructor(store: Pick<InvocationStore, 'begin' | 'finish'>) {
    this.#store = store;
  }

  // BullMQ's scripts always look.
  looksAgain(): void {}

  async begin(jobId: string, _token: string, now: number): Promise<BeginResult> {
    return this.#store.begin(jobId, now);
  }

  async complete(_token: string, request: FinishRequest, onEnded: (finished: FinishResult) => void): Promise<void> {
    onEnded(await this.#store.finish(request));
  }
}
