import { randomUUID } from 'node:crypto';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { onceASecond, Rounds, type Logger } from '#lib/platform';
import type { BatchRow } from './batch-row.js';
import type { BatchStore } from './batch-store.js';
import type { FedBatches } from './fed-batches.js';
import type { BatchFeed } from './batch-feed.js';

/** How often a gateway looks for batches that nobody feeds. One that it was given itself it feeds at once. */
const everyMs = 1_000;
/** Batches that one gateway feeds at once. */
const mostFed = 16;
/** How often batches are looked for whose days are over, and how many are forgotten at once. */
const forgetEveryMs = 600_000;
const mostForgotten = 50;
const dayMs = 86_400_000;
const acceptingMs = 3_600_000;

interface BatchFeederParts {
  readonly store: Pick<BatchStore, 'forget'>;
  readonly batches: Pick<FedBatches, 'claim'>;
  readonly feedOf: (row: BatchRow) => Pick<BatchFeed, 'run' | 'leave'>;
  /** Days that a batch is kept after its end. */
  readonly days: number;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

/** Feeds batches. Every gateway has one; a batch has one feeder at a time. */
export class BatchFeeder implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #parts: BatchFeederParts;
  readonly #rounds: Rounds;
  readonly #report: (error: unknown) => void;
  readonly #feeds = new Map<Pick<BatchFeed, 'leave'>, Promise<void>>();
  #forgotAt = performance.now() - forgetEveryMs;

  constructor(parts: BatchFeederParts) {
    this.#parts = parts;
    this.#report = onceASecond((error: unknown) =>
      parts.log.warn({ event: 'batches-fault', err: error }, 'a batch could not be fed; trying again'),
    );
    this.#rounds = new Rounds({ everyMs, round: async () => this.round(), onFault: this.#report });
  }

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
    const { batches, store, feedOf, days, now } = this.#parts;
    while (this.#feeds.size < mostFed && !this.#rounds.stopping.aborted) {
      const row = await batches.claim(randomUUID());
      if (!row) break;
      const feed = feedOf(row);
      const running = feed.run().catch(this.#report);
      this.#feeds.set(feed, running);
      void running.finally(() => {
        this.#feeds.delete(feed);
        this.nudge();
      });
    }
    if (performance.now() - this.#forgotAt < forgetEveryMs) return;
    this.#forgotAt = performance.now();
    while ((await store.forget(new Date(now() - days * dayMs), new Date(now() - acceptingMs), mostForgotten)) === mostForgotten);
  }
}
