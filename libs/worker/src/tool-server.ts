import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { Redis } from 'ioredis';
import type { Domain } from '#lib/contracts';
import { onceASecond, type Logger, type SucceedingProcess } from '#lib/platform';
import { freeHeld, type InvocationStore, type Partition, type Partitions, type RedisKeys, type RedisClient } from '#lib/transport';
import type { CallEnds } from './call-ends.js';
import type { ManualWorker } from './manual-worker.js';
import { Places } from './places.js';
import type { JobProcessor } from './process-job.js';
import type { Reaper } from './reaper.js';
import type { Registry } from './registry.js';
import type { TurnSteps } from './job-steps.js';
import { TurnLoop } from './turn-loop.js';

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
  readonly store: Pick<InvocationStore, 'turn' | 'handed'>;
  readonly steps: TurnSteps;
  readonly processor: Pick<JobProcessor<Services>, 'process' | 'stop' | 'releaseAll'> & { readonly ends: Pick<CallEnds, 'abandon'> };
  /** Started before the first job and stopped before the drain. */
  readonly registry: Pick<Registry<Services>, 'start' | 'stop'>;
  /** Started once jobs are taken and stopped before the drain. */
  readonly reaper: Pick<Reaper, 'start' | 'stop'>;
  /** What the supervisor of this process has told it. Default: nothing. */
  readonly succeeds?: SucceedingProcess | null;
  readonly log: Logger;
}

/** `starting` until Redis has answered; `running` while jobs are taken; `draining` from `close` on. */
export type ToolServerStatus = 'starting' | 'running' | 'draining' | 'closed';

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
  readonly #loops = new Map<Partition, TurnLoop<Services>>();
  /** What is undone when it closes: the subscriber and the partitions live on where a process serves several domains. */
  readonly #leaving: (() => unknown)[] = [];
  readonly #places: Places;
  #opening: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  #faults = { since: 0, count: 0 };
  readonly #reportLockLost = onceASecond((error: Error) =>
    this.#parts.log.warn({ event: 'lock-lost', err: error }, 'a running job may have gone to another worker'),
  );

  constructor(parts: ToolServerParts<Services>) {
    super();
    this.#parts = parts;
    this.#places = new Places(parts.concurrency);
    this._status$.next('starting');
  }

  /** Calls back when the first job may be taken, or with what kept the server from starting. */
  listen(callback: (error?: unknown) => void): void {
    this.#start().then(() => callback(), callback);
  }

  /** Whether the loops of all queues run. */
  get isRunning(): boolean {
    const loops = [...this.#loops.values()];
    return loops.length > 0 && loops.every((loop) => loop.isRunning);
  }

  /** Runs so many attempts at the same time from now on; with 0 it takes no more. */
  resize(size: number): void {
    this.#places.resize(size);
  }

  /** Takes no new jobs and lets running ones end; after the drain time they are released to other workers. Closes once. */
  async close(): Promise<void> {
    await (this.#closing ??= this.#drain());
  }

  on(): never {
    throw new Error('The tool server emits no events; subscribe to its status');
  }

  /** The BullMQ workers, one for each partition. Throws before `listen`. */
  unwrap<T>(): T;
  unwrap(): readonly ManualWorker[] {
    if (this.#loops.size === 0) throw new Error('The tool server has not been started');
    return [...this.#loops.values()].map(({ worker }) => worker);
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
        if (!this.#closing && !this.#loops.has(partition)) await this.#openOne(partition);
    }));
  }

  async #openOne(partition: Partition): Promise<void> {
    await this.#freeHeld(partition);
    // Closed while it waited for Redis.
    if (this.#closing) return;
    const loop = new TurnLoop<Services>({
      ...this.#parts,
      partition,
      places: this.#places,
      processName: this.#parts.succeeds?.name,
      onFault: (error) => this.#onFault(error),
    });
    this.#loops.set(partition, loop);
    await loop.start().catch(async (error: unknown) => {
      this.#loops.delete(partition);
      await loop.close();
      throw error;
    });
  }

  /** Before the first check for stalled jobs, which finds them. Where it fails, they are found when their locks are over. */
  async #freeHeld(partition: Partition): Promise<void> {
    const { connection, keys, succeeds, domain, log } = this.#parts;
    if (!succeeds || succeeds.ended.length === 0) return;
    try {
      const jobs = await freeHeld(connection, keys, { partition, ended: succeeds.ended });
      if (jobs > 0) log.info({ event: 'jobs-freed', domain: domain.name, jobs }, 'jobs of a process that has ended are run again');
    } catch (error) {
      this.#onFault(error);
    }
  }

  async #drain(): Promise<void> {
    const { processor, registry, reaper, drainMs } = this.#parts;
    this._status$.next('draining');
    reaper.stop();
    registry.stop();
    const release = setTimeout(() => processor.releaseAll(), drainMs);
    this.#places.close();
    await Promise.all([...this.#loops.values()].map((loop) => loop.close()));
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
    if (this.#faults.count === faultLimit) this.#pause();
  }

  #pause(): void {
    const loops = [...this.#loops.values()];
    this.#parts.log.error({ event: 'queue-rest', rest_ms: pauseMs }, 'the queue fails repeatedly; pausing before the next try');
    for (const loop of loops) loop.pause();
    setTimeout(() => {
      for (const loop of loops) loop.resume();
    }, pauseMs).unref();
  }
}
