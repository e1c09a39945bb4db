import { randomUUID } from 'node:crypto';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { onceASecond, Rounds } from '#lib/platform';
import { Authenticator } from '../../callers/authenticator.js';
import { Calls } from '../../calls/calls.js';
import { Stores } from '../../stores.js';
import { BatchFeed } from './batch-feed.js';
import type { BatchRow } from './batch-row.js';
import { BatchStore } from './batch-store.js';
import { FedBatches } from './fed-batches.js';
import { Rooms } from './rooms.js';

/** How often a gateway looks for batches that nobody feeds. One that it was given itself it feeds at once. */
const everyMs = 1_000;
/** Batches that one gateway feeds at once. */
const mostFed = 16;
/** How often batches are looked for whose days are over, and how many are forgotten at once. */
const forgetEveryMs = 600_000;
const mostForgotten = 50;
const dayMs = 86_400_000;
const acceptingMs = 3_600_000;

/** Feeds batches. Every gateway has one; a batch has one feeder at a time. */
@Injectable()
export class BatchFeeder implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #report = onceASecond((error: unknown) =>
    this.stores.log.warn({ event: 'batches-fault', err: error }, 'a batch could not be fed; trying again'),
  );
  readonly #rounds = new Rounds({ everyMs, round: async () => this.round(), onFault: this.#report });
  readonly #feeds = new Map<BatchFeed, Promise<void>>();
  #forgotAt = performance.now() - forgetEveryMs;

  constructor(
    private readonly stores: Stores,
    private readonly store: BatchStore,
    private readonly batches: FedBatches,
    private readonly calls: Calls,
    private readonly authenticator: Authenticator,
    private readonly rooms: Rooms,
  ) {}

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    const stopped = this.#rounds.stop();
    for (const feed of this.#feeds.keys()) feed.leave();
    await stopped;
    await Promise.allSettled(this.#feeds.values());
  }

  /** There is something to be fed. */
  nudge(): void {
    this.#rounds.nudge();
  }

  /** Takes what nobody feeds, as long as there is room. */
  async round(): Promise<void> {
    while (this.#feeds.size < mostFed && !this.#rounds.stopping.aborted) {
      const row = await this.batches.claim(randomUUID());
      if (!row) break;
      const feed = this.#feedOf(row);
      const running = feed.run().catch(this.#report);
      this.#feeds.set(feed, running);
      void running.finally(() => {
        this.#feeds.delete(feed);
        this.nudge();
      });
    }
    if (performance.now() - this.#forgotAt < forgetEveryMs) return;
    this.#forgotAt = performance.now();
    const now = this.stores.clock.now();
    const [ended, accepting] = [new Date(now - this.stores.settings.FAILED_DAYS * dayMs), new Date(now - acceptingMs)];
    while ((await this.store.forget(ended, accepting, mostForgotten)) === mostForgotten);
  }

  #feedOf(row: BatchRow): BatchFeed {
    const { store: jobs, sealer, servedDirectory, clock, log } = this.stores;
    const { store, batches, calls, authenticator } = this;
    const prepare = (tenantId: string) => servedDirectory.prepare(tenantId);
    const room = (tool: string) => this.rooms.of(row.tenantId, tool);
    return new BatchFeed({ store, batches, calls, authenticator, jobs, sealer, prepare, room, log, now: clock.now }, row);
  }
}
