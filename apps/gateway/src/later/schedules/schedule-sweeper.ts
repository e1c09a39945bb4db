import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { onceASecond, Rounds } from '#lib/platform';
import { Firing } from './firing.js';
import type { ScheduleRow } from './schedule-row.js';
import { ScheduleStore } from './schedule-store.js';
import { Stores } from '../../stores.js';
import { SharedClock } from '#lib/transport';

/** A gateway looks this often; of all of them one does at a time. */
const everyMs = 1_000;
/** Schedules that one round looks at, and how many of them at once. */
const mostOfRound = 500;
const together = 8;
/** How often it is asked whose key has ended, and for how many. */
const keysEveryMs = 60_000;
const mostStopped = 500;

/** Calls what schedules are due. Every gateway has one; one at a time works, and a second that works too does no harm. */
@Injectable()
export class ScheduleSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #report = onceASecond((error: unknown) =>
    this.stores.log.warn({ event: 'schedules-fault', err: error }, 'what schedules are due could not be called; trying again'),
  );
  readonly #rounds = new Rounds({ everyMs, round: async () => this.round(), onFault: this.#report });
  #keysAskedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly stores: Stores,
    private readonly schedules: ScheduleStore,
    private readonly firing: Firing,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
  }

  /** One round, unless another gateway has just had one. Rejects when Redis or Postgres is away. */
  async round(): Promise<void> {
    const { store, keys } = this.stores;
    await store.open.alone(keys.soleSweeper('schedule'), everyMs / 2, () => this.sweep());
  }

  /** Looks at every schedule whose time has come. */
  async sweep(): Promise<void> {
    const due = [...(await this.schedules.dueAt(new Date(this.clock.now()), mostOfRound))];
    const work = async (): Promise<void> => {
      for (let row = due.shift(); row && !this.#rounds.stopping.aborted; row = due.shift()) await this.#handle(row);
    };
    await Promise.all(Array.from({ length: together }, work));
    if (performance.now() - this.#keysAskedAt < keysEveryMs) return;
    for (const { reason, ...ended } of await this.schedules.ofEndedKeys(mostStopped)) await this.firing.stop(ended, reason);
    this.#keysAskedAt = performance.now();
  }

  /** One that fails does not keep the others from being called. */
  async #handle(row: ScheduleRow): Promise<void> {
    await this.firing.handle(row).catch(this.#report);
  }
}
