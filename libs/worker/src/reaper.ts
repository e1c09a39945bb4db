import type { ExpiringFiles } from '#lib/files';
import type { Logger } from '#lib/platform';
import { queuedJob, sharedClock, type InvocationStore, type ToolQueues, metric } from '#lib/transport';
import type { ToolContract } from '#lib/contracts';

const everyMs = 5_000;
/** Looking for lost jobs reads every open invocation, so only every sixth sweep does it. */
const orphansEvery = 6;
/** Files go by the hour. */
const filesEvery = 60;
/** A job is missing from the queue for this long only if whoever accepted it died before enqueueing it. */
const orphanAfterMs = 15_000;
const batch = 500;

interface ReaperParts {
  readonly domain: string;
  readonly store: Pick<InvocationStore, 'openCount' | 'openUntil' | 'read' | 'forgetOpen'>;
  readonly files: Pick<ExpiringFiles, 'removeExpired'>;
  readonly queues: Pick<ToolQueues, 'stateOf' | 'add'>;
  readonly find: (tool: string, version: string) => ToolContract | undefined;
  /** Ends what is past its deadline. */
  readonly expire: (jobId: string) => Promise<void>;
  /** Ends what the queue gave up. */
  readonly abandon: (jobId: string) => Promise<void>;
  readonly log: Logger;
}

/**
 * Repairs calls that a process left half done when it died between two steps: accepted but never enqueued, failed by the queue
 * but never ended, or past the deadline without an end. It also removes files of calls whose time is over. Every worker runs one. Each repair may be made twice.
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

  /** Looks once. @param now epoch milliseconds */
  async sweep(now = sharedClock.now()): Promise<void> {
    const { domain, store } = this.#parts;
    metric.openInvocations.set({ domain }, await store.openCount(domain));
    for (const jobId of await store.openUntil(domain, now, { offset: 0, limit: batch })) await this.#parts.expire(jobId);
    const sweep = this.#sweeps++;
    if (sweep % filesEvery === 0) await this.#sweepFiles(now);
    if (sweep % orphansEvery !== 0) return;
    for (const jobId of await this.#allOpen()) await this.#check(jobId, now);
  }

  /** Read whole before anything is taken off the list: that would shift the pages that are still to come. */
  async #allOpen(): Promise<readonly string[]> {
    const all: string[] = [];
    for (let offset = 0; ; offset += batch) {
      const page = await this.#parts.store.openUntil(this.#parts.domain, '+inf', { offset, limit: batch });
      all.push(...page);
      if (page.length < batch) return all;
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

  /** The file store may be away while everything else works. */
  async #sweepFiles(now: number): Promise<void> {
    try {
      await this.#parts.files.removeExpired(now);
    } catch (error) {
      this.#parts.log.warn(
        { event: 'sweep-failed', sweep: 'files of calls', err: error },
        'files of ended calls could not be removed; tried again in minutes',
      );
    }
  }

  #failed(error: unknown, again: () => void): void {
    this.#parts.log.warn({ event: 'sweep-failed', err: error }, 'a sweep for abandoned invocations failed; trying again');
    again();
  }
}
