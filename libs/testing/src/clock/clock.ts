import type { Redis } from 'ioredis';
import type { AppProcess } from '../app-process.js';
import { expireSooner } from './expire-sooner.js';
import { realNow, restoreDate } from './shift-date.js';

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

interface ClockParts {
  readonly apps: readonly AppProcess[];
  readonly redis: Redis;
  readonly namespace: string;
}

/**
 * The clock of a system under test. It moves what the product reads from `Date` in every process, also in those that are started
 * later, and the time to live of every Redis key of the system. It does not move timers that run already, `performance.now()`, or
 * the clock of Postgres. Move it while no call is under way. Apps in the process of the test move what the test reads, too.
 */
export class Clock implements Disposable {
  readonly #parts: ClockParts;
  #offsetMs = 0;

  constructor(parts: ClockParts) {
    this.#parts = parts;
  }

  /** Epoch ms as the product reads it. */
  get now(): number {
    return realNow() + this.#offsetMs;
  }

  /** Lets time pass. @param ms whole milliseconds, 0 or more */
  async advance(ms: number): Promise<void> {
    const { apps, redis, namespace } = this.#parts;
    await expireSooner(redis, namespace, ms);
    this.#offsetMs += ms;
    await Promise.all(apps.map((app) => app.moveClock(this.#offsetMs)));
  }

  /** Lets time pass until a moment that lies ahead. @param at epoch ms */
  async advanceTo(at: number): Promise<void> {
    await this.advance(Math.round(at - this.now));
  }
  /** This process reads the real time again. */
  [Symbol.dispose](): void {
    restoreDate();
  }
}
