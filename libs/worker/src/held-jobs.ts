import type { RedisQueueBackend } from 'bullmq';

interface HeldJobsParts {
  readonly backend: Pick<RedisQueueBackend, 'extendLocks'>;
  /** Of the locks. */
  readonly token: string;
  readonly lockMs: number;
  readonly onFault: (error: unknown) => void;
}

/** The jobs in a worker's hands. Their locks are renewed as long as they are. */
export class HeldJobs {
  readonly #parts: HeldJobsParts;
  /** By when they were taken, in epoch ms. */
  readonly #since = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: HeldJobsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#since.size;
  }

  start(): void {
    const { lockMs, onFault } = this.#parts;
    this.#timer = setInterval(() => void this.#renewLocks().catch(onFault), lockMs / 4).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  add(jobId: string): void {
    this.#since.set(jobId, Date.now());
  }

  delete(jobId: string): void {
    this.#since.delete(jobId);
  }

  /** BullMQ names those that another worker has by now. */
  async #renewLocks(): Promise<void> {
    const { backend, token, lockMs, onFault } = this.#parts;
    const before = Date.now() - lockMs / 4;
    const ids = [...this.#since].filter(([, since]) => since < before).map(([jobId]) => jobId);
    if (ids.length === 0) return;
    const tokens = ids.map(() => token);
    for (const jobId of await backend.extendLocks(ids, tokens, lockMs)) onFault(new Error(`could not renew lock for job ${jobId}`));
  }
}
