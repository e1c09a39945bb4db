import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Domain } from '#lib/contracts';
import { onceASecond, type Logger } from '#lib/platform';
import type { RedisKeys, QueuedInvocation } from '#lib/transport';
import type { JobProcessor } from './process-job.js';
import { RetryLater } from './retry-later.js';

interface ToolServerParts<Services extends object> {
  readonly domain: Domain;
  readonly concurrency: number;
  readonly drainMs: number;
  readonly keys: RedisKeys;
  readonly connection: Redis;
  readonly subscriber: Redis;
  readonly processor: JobProcessor<Services>;
  readonly log: Logger;
}

/** Faults in this much time mean that Redis answers but refuses: the loop would spin, so it rests. */
const faultWindowMs = 1_000;
const faultLimit = 20;
const restMs = 2_000;
const lockLost = /^(could not renew lock|Missing lock for job|Lock mismatch for job)/;

/** BullMQ as a Nest transport: Nest starts it, asks whether it is ready, and drains it. */
export class ToolServer<Services extends object> extends Server implements CustomTransportStrategy {
  readonly #parts: ToolServerParts<Services>;
  #worker: Worker<QueuedInvocation, string> | null = null;
  #faults = { since: 0, count: 0 };
  readonly #reportLockLost = onceASecond((error: Error) =>
    this.#parts.log.warn({ event: 'lock-lost', err: error }, 'a running job may have gone to another worker'),
  );

  constructor(parts: ToolServerParts<Services>) {
    super();
    this.#parts = parts;
  }

  listen(callback: (error?: unknown) => void): void {
    this.#start().then(() => callback(), callback);
  }

  get isRunning(): boolean {
    return this.#worker?.isRunning() ?? false;
  }

  /** Takes no new jobs and lets running ones end; after the drain time they are released to other workers. */
  async close(): Promise<void> {
    const { processor, drainMs } = this.#parts;
    const release = setTimeout(() => processor.releaseAll(), drainMs);
    await this.#worker?.close();
    clearTimeout(release);
  }

  on(): never {
    throw new Error('The tool server has no events of its own');
  }

  unwrap<T>(): T {
    throw new Error('The BullMQ worker is not for use from outside');
  }

  async #start(): Promise<void> {
    const { domain, concurrency, keys, connection, subscriber, processor } = this.#parts;
    subscriber.on('message', (_channel, jobId) => processor.stop(jobId));
    await subscriber.subscribe(keys.stops(domain.name));
    this.#worker = new Worker<QueuedInvocation, string>(domain.name, async (job, token) => processor.process(job, token ?? ''), {
      connection,
      prefix: keys.queuePrefix(domain.name),
      concurrency,
      lockDuration: domain.lockMs,
      stalledInterval: domain.stalledCheckMs,
      // A job that takes two workers down with it is poison.
      maxStalledCount: 1,
      settings: { backoffStrategy: (_attempts, _type, error) => (error instanceof RetryLater ? error.delayMs : 0) },
      autorun: false,
    });
    this.#worker.on('error', (error) => this.#onFault(error));
    this.#worker.on('failed', (job, error) => {
      // Only the queue itself fails a job with this; our own failures have ended the invocation already.
      if (job?.id && !(error instanceof RetryLater)) processor.abandon(job.id).catch((fault: unknown) => this.#onFault(fault));
    });
    await this.#worker.waitUntilReady();
    void this.#worker.run();
  }

  #onFault(error: unknown): void {
    // One for each running job after a pause of Redis or of this process: the jobs are fenced, and the loop is well.
    if (error instanceof Error && lockLost.test(error.message)) return this.#reportLockLost(error);
    const now = Date.now();
    if (now - this.#faults.since > faultWindowMs) this.#faults = { since: now, count: 0 };
    this.#faults.count += 1;
    if (this.#faults.count === 1) this.#parts.log.warn({ event: 'queue-fault', err: error }, 'the queue reports a fault');
    if (this.#faults.count === faultLimit) void this.#rest();
  }

  async #rest(): Promise<void> {
    this.#parts.log.error({ event: 'queue-rest', rest_ms: restMs }, 'the queue refuses again and again; resting before the next try');
    await this.#worker?.pause(true);
    setTimeout(() => void this.#worker?.resume(), restMs);
  }
}
