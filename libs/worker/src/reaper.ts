import type { ExpiringFiles } from '#lib/files';
import type { Logger } from '#lib/platform';
import { queuedJob, type InvocationStore, type Partition, type ToolQueues } from '#lib/transport';
import type { CalledTool, ToolContract } from '#lib/contracts';
import type { CallEnds } from './call-ends.js';
import { Waker } from './waker.js';

/** How long nobody sweeps a partition that was swept. */
const restMs = 4_000;
const everyMs = 5_000;
/** What goes by the hour or the day: files, and jobs on the board. */
const seldomEvery = 60;
/** A job is missing from the queue for this long only if whoever accepted it died before enqueueing it. */
const orphanAfterMs = 15_000;
/** The most that a sweep ends, and how many of them at once. */
const mostEnded = 10_000;
const together = 100;
/** How many open calls a sweep looks at that give no cause for it. */
const patrolled = 1_000;

interface ReaperParts {
  /** Of a domain. */
  readonly partitions: () => readonly Partition[];
  readonly store: Pick<InvocationStore, 'open' | 'read' | 'resting'>;
  readonly files: Pick<ExpiringFiles, 'removeExpired'>;
  readonly queues: Pick<ToolQueues, 'stateOf' | 'add' | 'forgetEnded'>;
  readonly find: (called: CalledTool) => ToolContract | undefined;
  readonly ends: Pick<CallEnds, 'expire' | 'endUndecided' | 'expireAtRest' | 'abandon'>;
  /** Epoch milliseconds. Default: this machine's clock. */
  readonly now?: () => number;
  readonly log: Logger;
}

/**
 * Repairs calls that a process left half done when it died between two steps: accepted but never enqueued, failed by the queue
 * but never ended, or past the deadline without an end. It also removes files of calls, and jobs on the board, whose time is over. Every
 * worker has one, and one of a domain sweeps a partition at a time. Each repair may be made twice. It also wakes calls whose rest is over.
 *
 * A sweep costs what there is to repair, and a fixed number of open calls that it looks at in turn: so it also finds what nothing points
 * to, such as calls that a gateway of an older version accepted and never enqueued.
 */
export class Reaper {
  readonly #parts: ReaperParts;
  readonly #waker: Waker;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Of each partition: how often it was swept here, and the place of the next open call to look at. */
  readonly #rounds = new Map<Partition, { sweeps: number; place: number }>();

  constructor(parts: ReaperParts) {
    this.#parts = parts;
    this.#waker = new Waker(parts);
  }

  start(): void {
    this.#waker.start();
    const again = () => {
      if (this.#isStopped) return;
      // Jitter keeps the workers of a domain from asking at the same moment.
      this.#timer = setTimeout(
        () => void this.#sweepAll().then(again, (error: unknown) => this.#failed(error, again)),
        everyMs * (0.8 + 0.4 * Math.random()),
      ).unref();
    };
    again();
  }

  stop(): void {
    this.#isStopped = true;
    this.#waker.stop();
    clearTimeout(this.#timer);
  }

  /** Looks once. Does the rest where a part fails, and throws what failed first then. @param now epoch milliseconds */
  async sweep(partition: Partition, now = (this.#parts.now ?? Date.now)()): Promise<void> {
    const round = this.#rounds.get(partition) ?? { sweeps: 0, place: 0 };
    this.#rounds.set(partition, round);
    const isSeldom = round.sweeps++ % seldomEvery === 0;
    await eachInTurn([
      () => this.#expireOverdue(partition, now),
      () => this.#enqueueOrphans(partition, now),
      () => this.#patrol(partition, { round, now }),
      async () => isSeldom && this.#parts.queues.forgetEnded(partition),
      async () => isSeldom && this.#sweepFiles(now),
    ]);
  }

  async #sweepAll(): Promise<void> {
    const { partitions, store } = this.#parts;
    await eachInTurn(
      partitions().map((partition) => () => store.open.sweepAlone({ partition, what: 'overdue', restMs }, () => this.sweep(partition))),
    );
  }

  async #expireOverdue(partition: Partition, now: number): Promise<void> {
    const { store, ends } = this.#parts;
    await forEach(await store.open.until(partition, now, { offset: 0, limit: mostEnded }), async (jobId) => ends.expire(jobId));
  }

  async #enqueueOrphans(partition: Partition, now: number): Promise<void> {
    const { store } = this.#parts;
    await forEach(await store.open.unqueued(partition, now - orphanAfterMs, mostEnded), async (jobId) => {
      await this.#check(jobId, now);
      await store.open.enqueued(jobId);
    });
  }

  async #patrol(partition: Partition, { round, now }: { readonly round: { place: number }; readonly now: number }): Promise<void> {
    const { seen, suspects } = await this.#parts.store.open.patrol(partition, { offset: round.place, limit: patrolled });
    round.place = seen < patrolled ? 0 : round.place + seen;
    await forEach(suspects, async (jobId) => this.#check(jobId, now));
  }

  async #check(jobId: string, now: number): Promise<void> {
    const { store, queues, log } = this.#parts;
    const record = await store.read(jobId);
    if (!record) return store.open.forget(jobId);
    if (record.ending || now - record.head.createdAt < orphanAfterMs) return;
    const state = await queues.stateOf(jobId);
    if (state === 'failed' || state === 'completed') return this.#parts.ends.abandon(jobId);
    if (state !== 'unknown') return;
    const { head } = record;
    log.warn({ event: 'job-requeued', job_id: jobId, trace_id: head.traceId }, 'an accepted invocation had no job; it is enqueued now');
    await queues.add(queuedJob({ jobId, head, contract: this.#parts.find(head) }));
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

/** Does all of them, one after the other, also where one fails. Throws what the first of those threw. */
async function eachInTurn(parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const part of parts) await part().catch((error: unknown) => faults.push(error));
  if (faults.length > 0) throw faults[0];
}

/** Repairs all of them, also where one cannot be. Throws what the first of those threw. */
async function forEach(jobIds: readonly string[], repair: (jobId: string) => Promise<void>): Promise<void> {
  const faults: unknown[] = [];
  for (let start = 0; start < jobIds.length; start += together) {
    const done = await Promise.allSettled(jobIds.slice(start, start + together).map(repair));
    faults.push(...done.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown));
  }
  if (faults.length > 0) throw faults[0];
}
