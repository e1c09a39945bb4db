import type { Logger } from '#lib/platform';
import { queuedJob, type InvocationStore, type ToolQueues, metric } from '#lib/transport';
import type { ToolContract } from '#lib/contracts';

const everyMs = 5_000;
/** Looking for lost jobs reads every open invocation, so it is done every sixth time only. */
const orphansEvery = 6;
/** A job is missing from the queue for this long only if whoever accepted it died before enqueueing it. */
const orphanAfterMs = 15_000;
const batch = 500;

interface ReaperParts {
  readonly domain: string;
  readonly store: InvocationStore;
  readonly queues: ToolQueues;
  readonly find: (tool: string, version: string) => ToolContract | undefined;
  /** Ends what is past its deadline. */
  readonly expire: (jobId: string) => Promise<void>;
  /** Ends what the queue gave up. */
  readonly abandon: (jobId: string) => Promise<void>;
  readonly log: Logger;
}

/**
 * Closes the gaps that a death between two steps leaves: accepted but never enqueued, failed by the queue but never
 * ended, past its deadline with nobody left to say so. Every worker runs one; all it does may be done twice.
 */
export class Reaper {
  readonly #parts: ReaperParts;
  #timer: NodeJS.Timeout | undefined;
  #sweeps = 0;

  constructor(parts: ReaperParts) {
    this.#parts = parts;
  }

  start(): void {
    const again = () => {
      // Jitter keeps the workers of a domain from sweeping at the same moment.
      this.#timer = setTimeout(
        () => void this.sweep().then(again, (error: unknown) => this.#failed(error, again)),
        everyMs * (0.8 + 0.4 * Math.random()),
      ).unref();
    };
    again();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async sweep(now = Date.now()): Promise<void> {
    const { domain, store } = this.#parts;
    metric.openInvocations.set({ domain }, await store.openCount(domain));
    for (const jobId of await store.openUntil(domain, now, { offset: 0, limit: batch })) await this.#parts.expire(jobId);
    if (this.#sweeps++ % orphansEvery !== 0) return;
    for (let offset = 0; ; offset += batch) {
      const jobIds = await store.openUntil(domain, '+inf', { offset, limit: batch });
      for (const jobId of jobIds) await this.#check(jobId, now);
      if (jobIds.length < batch) return;
    }
  }

  async #check(jobId: string, now: number): Promise<void> {
    const { domain, store, queues, log } = this.#parts;
    const record = await store.read(jobId);
    if (!record) return store.forgetOpen(jobId);
    if (record.ending || now - record.head.createdAt < orphanAfterMs) return;
    const state = await queues.stateOf(domain, jobId);
    if (state === 'failed' || state === 'completed') return this.#parts.abandon(jobId);
    if (state !== 'unknown') return;
    const { head } = record;
    log.warn({ event: 'job-requeued', job_id: jobId, trace_id: head.traceId }, 'an accepted invocation had no job; it is enqueued now');
    await queues.add(domain, queuedJob({ jobId, head, contract: this.#parts.find(head.tool, head.version) }));
  }

  #failed(error: unknown, again: () => void): void {
    this.#parts.log.warn({ event: 'sweep-failed', err: error }, 'could not look for abandoned invocations; trying again');
    again();
  }
}
