import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { onceASecond, type Logger } from '#lib/platform';
import type { BatchRow } from './batch-row.js';
import type { BatchStore } from './batch-store.js';
import type { BatchFeed } from './batch-feed.js';

/** How often a gateway looks for batches that nobody feeds. One that it was given itself it feeds at once. */
const everyMs = 1_000;
/** After a fault. */
const pauseMs = 5_000;
/** Batches that one gateway feeds at once. */
const mostFed = 16;
/** How often batches are looked for whose days are over, and how many are forgotten at once. */
const forgetEveryMs = 600_000;
const mostForgotten = 50;
const dayMs = 86_400_000;
const acceptingMs = 3_600_000;

interface BatchFeederParts {
  readonly store: Pick<BatchStore, 'claim' | 'forget'>;
  readonly feedOf: (row: BatchRow) => Pick<BatchFeed, 'run' | 'leave'>;
  /** Days that a batch is kept after its end. */
  readonly days: number;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

/** Feeds batches. Every gateway has one; a batch has one feeder at a time. */
export class BatchFeeder implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #parts: BatchFeederParts;
  readonly #stopping = new AbortController();
  readonly #report: (error: unknown) => void;
  readonly #feeds = new Map<Pick<BatchFeed, 'leave'>, Promise<void>>();
  #wake = new AbortController();
  #forgotAt = performance.now() - forgetEveryMs;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: BatchFeederParts) {
    this.#parts = parts;
    this.#report = onceASecond((error: unknown) =>
      parts.log.warn({ event: 'batches-fault', err: error }, 'a batch could not be fed; trying again'),
    );
  }

  onApplicationBootstrap(): void {
    this.#running = this.#run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    for (const feed of this.#feeds.keys()) feed.leave();
    await this.#running;
    await Promise.allSettled(this.#feeds.values());
  }

  /** There is something to be fed. */
  nudge(): void {
    this.#wake.abort();
  }

  /** Takes what nobody feeds, as long as there is room. */
  async round(): Promise<void> {
    const { store, feedOf, days, now } = this.#parts;
    while (this.#feeds.size < mostFed && !this.#stopping.signal.aborted) {
      const row = await store.claim(randomUUID());
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

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let waitMs = everyMs;
    while (!signal.aborted) {
      // Jitter keeps gateways from asking at the same moment.
      await setTimeout(waitMs * (0.8 + 0.4 * Math.random()), undefined, { signal: this.#wake.signal, ref: false }).catch(() => undefined);
      this.#wake = new AbortController();
      if (!signal.aborted) waitMs = await this.#turn();
    }
  }

  /** @returns when to look again, in ms */
  async #turn(): Promise<number> {
    try {
      await this.round();
      return everyMs;
    } catch (error) {
      this.#report(error);
      return pauseMs;
    }
  }
}
