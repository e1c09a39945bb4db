import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { Worker, type Job, type RedisQueueBackend, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Domain } from '#lib/contracts';
import { onceASecond, type Logger } from '#lib/platform';
import type { QueuedInvocation, RedisKeys, RunSteps, RedisClient } from '#lib/transport';
import type { JobProcessor } from './process-job.js';
import type { Reaper } from './reaper.js';
import type { Registry } from './registry.js';
import { maxStalls } from './release.js';
import { RetryLater } from './retry-later.js';

interface ToolServerParts<Services extends object> {
  readonly domain: Domain;
  /** Attempts at the same time. */
  readonly concurrency: number;
  /** How long running attempts may take to end once the server closes. */
  readonly drainMs: number;
  readonly keys: RedisKeys;
  readonly connection: RedisClient;
  readonly subscriber: Redis;
  readonly steps: Pick<RunSteps, 'backend'>;
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
const lockLost = /^(could not renew lock|Missing lock for job|Lock mismatch for job)/;

/** BullMQ as a Nest transport strategy: Nest starts it, asks for its status, and closes it. */
export class ToolServer<Services extends object> extends Server<never, ToolServerStatus> implements CustomTransportStrategy {
  readonly #parts: ToolServerParts<Services>;
  #worker: ToolWorker | null = null;
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
    this._status$.next('starting');
  }

  /** Calls back when the first job may be taken, or with what kept the server from starting. */
  listen(callback: (error?: unknown) => void): void {
    this.#start().then(() => callback(), callback);
  }

  /** Whether the queue loop runs. */
  get isRunning(): boolean {
    return this.#worker?.isRunning() ?? false;
  }

  /** Runs so many attempts at the same time from now on; with 0 it takes no more. */
  async resize(size: number): Promise<void> {
    if (size === this.#size) return;
    this.#size = size;
    await (this.#resizing = this.#resizing.then(() => this.#applySize()));
  }

  /** Takes no new jobs and lets running ones end; after the drain time they are released to other workers. Closes once. */
  async close(): Promise<void> {
    await (this.#closing ??= this.#drain());
  }

  on(): never {
    throw new Error('The tool server emits no events; subscribe to its status');
  }

  /** The BullMQ worker. Throws before `listen`. */
  unwrap<T>(): T;
  unwrap(): ToolWorker {
    if (!this.#worker) throw new Error('The tool server has not been started');
    return this.#worker;
  }

  async #start(): Promise<void> {
    const { domain, keys, connection, subscriber, steps, processor, registry, reaper } = this.#parts;
    await registry.start();
    subscriber.on('message', (channel, jobId) => {
      if (channel === keys.stops(domain.name)) processor.stop(jobId);
    });
    await subscriber.subscribe(keys.stops(domain.name));
    const options: WorkerOptions = {
      connection,
      prefix: keys.queuePrefix(domain.name),
      concurrency: Math.max(1, this.#size),
      lockDuration: domain.lockMs,
      stalledInterval: domain.stalledCheckMs,
      // A job that takes two workers down with it is poison.
      maxStalledCount: maxStalls,
      settings: { backoffStrategy: (_attempts, _type, error) => (error instanceof RetryLater ? error.delayMs : 0) },
      autorun: false,
    };
    const work = async (job: Job<QueuedInvocation, string>, token?: string) => processor.process(job, token ?? '');
    const worker: ToolWorker = new Worker(domain.name, work, options, steps.backend);
    this.#worker = worker;
    worker.on('error', (error) => this.#onFault(error));
    worker.on('failed', (job, error) => {
      // Only the queue itself fails a job with this; our own failures have ended the invocation already.
      if (job?.id && !(error instanceof RetryLater)) processor.abandon(job.id).catch((fault: unknown) => this.#onFault(fault));
    });
    await worker.waitUntilReady();
    // Closed while it waited for Redis.
    if (this.#closing) return;
    void worker.run();
    reaper.start();
    this._status$.next('running');
  }

  async #drain(): Promise<void> {
    const { processor, registry, reaper, drainMs } = this.#parts;
    this._status$.next('draining');
    reaper.stop();
    registry.stop();
    const release = setTimeout(() => processor.releaseAll(), drainMs);
    await this.#worker?.close();
    clearTimeout(release);
    this._status$.next('closed');
  }

  #onFault(error: unknown): void {
    // One for each running job after a pause of Redis or of this process. The jobs are fenced, and the loop is healthy.
    if (error instanceof Error && lockLost.test(error.message)) return this.#reportLockLost(error);
    const now = Date.now();
    if (now - this.#faults.since > faultWindowMs) this.#faults = { since: now, count: 0 };
    this.#faults.count += 1;
    if (this.#faults.count === 1) this.#parts.log.warn({ event: 'queue-fault', err: error }, 'the queue reports a fault');
    if (this.#faults.count === faultLimit) void this.#pause();
  }

  async #applySize(): Promise<void> {
    const worker = this.#worker;
    if (!worker || this.#closing) return;
    // The loop looks at its size when it is woken, and a resumed one is.
    await worker.pause(true);
    if (this.#size === 0) return;
    worker.concurrency = this.#size;
    await worker.resume();
  }

  async #pause(): Promise<void> {
    this.#parts.log.error({ event: 'queue-rest', rest_ms: pauseMs }, 'the queue fails repeatedly; pausing before the next try');
    await this.#worker?.pause(true);
    setTimeout(() => {
      if (this.#size > 0) void this.#worker?.resume();
    }, pauseMs);
  }
}
