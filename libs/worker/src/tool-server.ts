import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { Worker, type Job, type RedisQueueBackend, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Domain } from '#lib/contracts';
import { onceASecond, type Logger } from '#lib/platform';
import type { Partition, Partitions, QueuedInvocation, RedisKeys, RunSteps, RedisClient } from '#lib/transport';
import { placedBackend } from './placed-backend.js';
import { Places } from './places.js';
import type { JobProcessor } from './process-job.js';
import type { Reaper } from './reaper.js';
import type { Registry } from './registry.js';
import { maxStalls } from './release.js';
import { RetryLater } from './retry-later.js';

interface ToolServerParts<Services extends object> {
  readonly domain: Domain;
  readonly partitions: Pick<Partitions, 'all' | 'onGrowth'>;
  /** Attempts at the same time. */
  readonly concurrency: number;
  /** How long running attempts may take to end once the server closes. */
  readonly drainMs: number;
  readonly keys: RedisKeys;
  readonly connection: RedisClient;
  readonly subscriber: Redis;
  readonly steps: Pick<RunSteps, 'backend' | 'looksAgain'>;
  readonly processor: Pick<JobProcessor<Services>, 'process' | 'stop' | 'abandon' | 'releaseAll'>;
  /** Started before the first job and stopped before the drain. */
  readonly registry: Pick<Registry<Services>, 'start' | 'stop'>;
  /** Started once jobs are taken and stopped before the drain. */
  readonly reaper: Pick<Reaper, 'start' | 'stop'>;
  readonly log: Logger;
}

/** `starting` until Redis has answered; `running` while jobs are taken; `draining` from `close` on. */
export type ToolServerStatus = 'starting' | 'running' | 'draining' | 'closed';

type ToolWorker = Worker<QueuedInvocation, string, string, RedisQueueBackend>;

/** More faults than this in this time mean that Redis answers but refuses. The loop would spin, so it pauses. */
const faultWindowMs = 1_000;
const faultLimit = 20;
const pauseMs = 2_000;
/** After a new partition could not be taken up. */
const reopenMs = 500;
const lockLost = /^(could not renew lock|Missing lock for job|Lock mismatch for job)/;

/**
 * BullMQ as a Nest transport strategy: Nest starts it, asks for its status, and closes it. Each partition of the domain has a queue, and all
 * of them share the places for attempts.
 */
export class ToolServer<Services extends object> extends Server<never, ToolServerStatus> implements CustomTransportStrategy {
  readonly #parts: ToolServerParts<Services>;
  readonly #workers = new Map<Partition, ToolWorker>();
  /** What is undone when it closes: the subscriber and the partitions live on where a process serves several domains. */
  readonly #leaving: (() => unknown)[] = [];
  readonly #places: Places;
  #opening: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  #faults = { since: 0, count: 0 };
  /** Attempts at the same time. */
  #size: number;
  #resizing: Promise<void> = Promise.resolve();
  readonly #reportLockLost = onceASecond((error: Error) =>
    this.#parts.log.warn({ event: 'lock-lost', err: error }, 'a running job may have gone to another worker'),
  );

  constructor(parts: ToolServerParts<Services>) {
    super();
    this.#parts = parts;
    this.#size = parts.concurrency;
    this.#places = new Places(parts.concurrency);
    this._status$.next('starting');
  }

  /** Calls back when the first job may be taken, or with what kept the server from starting. */
  listen(callback: (error?: unknown) => void): void {
    this.#start().then(() => callback(), callback);
  }

  /** Whether the loops of all queues run. */
  get isRunning(): boolean {
    const workers = [...this.#workers.values()];
    return workers.length > 0 && workers.every((worker) => worker.isRunning());
  }

  /** Runs so many attempts at the same time from now on; with 0 it takes no more. */
  async resize(size: number): Promise<void> {
    if (size === this.#size) return;
    this.#size = size;
    this.#places.resize(size);
    await (this.#resizing = this.#resizing.then(() => this.#applySize()));
  }

  /** Takes no new jobs and lets running ones end; after the drain time they are released to other workers. Closes once. */
  async close(): Promise<void> {
    await (this.#closing ??= this.#drain());
  }

  on(): never {
    throw new Error('The tool server emits no events; subscribe to its status');
  }

  /** The BullMQ workers. Throws before `listen`. */
  unwrap<T>(): T;
  unwrap(): readonly ToolWorker[] {
    if (this.#workers.size === 0) throw new Error('The tool server has not been started');
    return [...this.#workers.values()];
  }

  async #start(): Promise<void> {
    const { domain, keys, subscriber, processor, partitions, registry, reaper } = this.#parts;
    await registry.start();
    const stops = keys.stops(domain.name);
    const onMessage = (channel: string, jobId: string): void => {
      if (channel === stops) processor.stop(jobId);
    };
    subscriber.on('message', onMessage);
    this.#leaving.push(() => subscriber.off('message', onMessage));
    await subscriber.subscribe(stops);
    this.#leaving.push(() => subscriber.unsubscribe(stops).catch(() => undefined));
    this.#leaving.push(partitions.onGrowth(() => this.#openFurther()));
    await this.#open();
    // Closed while it waited for Redis.
    if (this.#closing) return;
    reaper.start();
    this._status$.next('running');
  }

  /** Tries until it succeeds: the partitions that run already must not stop for the new ones. */
  #openFurther(): void {
    this.#open().catch((error: unknown) => {
      this.#onFault(error);
      if (!this.#closing) setTimeout(() => this.#openFurther(), reopenMs).unref();
    });
  }

  /** Takes jobs of every partition that the domain has now, one after the other. */
  async #open(): Promise<void> {
    const { domain, partitions } = this.#parts;
    const before = this.#opening.catch(() => undefined);
    await (this.#opening = before.then(async () => {
      for (const partition of partitions.all(domain.name))
        if (!this.#closing && !this.#workers.has(partition)) await this.#openOne(partition);
    }));
  }

  async #openOne(partition: Partition): Promise<void> {
    const { domain, keys, connection, steps, processor } = this.#parts;
    const options: WorkerOptions = {
      connection,
      prefix: keys.queuePrefix(partition),
      concurrency: Math.max(1, this.#size),
      lockDuration: domain.lockMs,
      stalledInterval: domain.stalledCheckMs,
      // A job that takes two workers down with it is poison.
      maxStalledCount: maxStalls,
      settings: { backoffStrategy: (_attempts, _type, error) => (error instanceof RetryLater ? error.delayMs : 0) },
      autorun: false,
    };
    const work = async (job: Job<QueuedInvocation, string>, token?: string) => {
      try {
        return await processor.process(job, token ?? '');
      } finally {
        this.#places.leave();
      }
    };
    const wakeOthers = async () => connection.zadd(keys.queue(partition, 'marker'), 0, '0');
    const backend = placedBackend(steps.backend, { places: this.#places, wakeOthers, onPlace: () => steps.looksAgain(partition) });
    const worker: ToolWorker = new Worker(partition, work, options, backend);
    this.#workers.set(partition, worker);
    worker.on('error', (error) => this.#onFault(error));
    worker.on('failed', (job, error) => {
      // Only the queue itself fails a job with this; our own failures have ended the invocation already.
      if (job?.id && !(error instanceof RetryLater)) processor.abandon(job.id).catch((fault: unknown) => this.#onFault(fault));
    });
    await worker.waitUntilReady().catch(async (error: unknown) => {
      this.#workers.delete(partition);
      await worker.close(true);
      throw error;
    });
    // It runs already where it got other places meanwhile.
    if (!this.#closing && !worker.isRunning()) void worker.run();
  }

  async #drain(): Promise<void> {
    const { processor, registry, reaper, drainMs } = this.#parts;
    this._status$.next('draining');
    reaper.stop();
    registry.stop();
    const release = setTimeout(() => processor.releaseAll(), drainMs);
    this.#places.close();
    await Promise.all([...this.#workers.values()].map((worker) => worker.close()));
    clearTimeout(release);
    for (const leave of this.#leaving.splice(0)) leave();
    this._status$.next('closed');
  }

  #onFault(error: unknown): void {
    // One for each running job after a pause of Redis or of this process. The jobs are fenced, and the loop is healthy.
    if (error instanceof Error && lockLost.test(error.message)) return this.#reportLockLost(error);
    const now = Date.now();
    if (now - this.#faults.since > faultWindowMs) this.#faults = { since: now, count: 0 };
    this.#faults.count += 1;
    if (this.#faults.count === 1) this.#parts.log.warn({ event: 'queue-fault', err: error }, 'the queue reports a fault');
    if (this.#faults.count === faultLimit) this.#pause().catch((fault: unknown) => this.#onFault(fault));
  }

  async #applySize(): Promise<void> {
    for (const worker of this.#workers.values()) {
      if (this.#closing) return;
      // The loop looks at its size when it is woken, and a resumed one is.
      await worker.pause(true);
      if (this.#size === 0) continue;
      worker.concurrency = this.#size;
      await worker.resume();
    }
  }

  async #pause(): Promise<void> {
    const workers = [...this.#workers.values()];
    this.#parts.log.error({ event: 'queue-rest', rest_ms: pauseMs }, 'the queue fails repeatedly; pausing before the next try');
    await Promise.all(workers.map((worker) => worker.pause(true)));
    setTimeout(() => {
      // Resumed after its close, a worker would take jobs again.
      if (this.#size > 0 && !this.#closing) for (const worker of workers) void worker.resume();
    }, pauseMs).unref();
  }
}
