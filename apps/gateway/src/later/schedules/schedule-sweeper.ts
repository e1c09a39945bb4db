import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { onceASecond, Rounds, type Logger } from '#lib/platform';
import type { InvocationStore, RedisKeys } from '#lib/transport';
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

interface ScheduleSweeperParts {
  readonly lease: { readonly open: Pick<InvocationStore['open'], 'alone'> };
  readonly keys: Pick<RedisKeys, 'soleSweeper'>;
  readonly store: Pick<ScheduleStore, 'dueAt' | 'ofEndedKeys'>;
  readonly firing: Pick<Firing, 'handle' | 'stop'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

/** Calls what schedules are due. Every gateway has one; one at a time works, and a second that works too does no harm. */
@Injectable()
export class ScheduleSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #parts: ScheduleSweeperParts;
  readonly #rounds: Rounds;
  readonly #report: (error: unknown) => void;
  #keysAskedAt = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(Stores) {
      store: lease,
      keys,
      log,
    }: Pick<ScheduleSweeperParts, 'keys' | 'log'> & { readonly store: ScheduleSweeperParts['lease'] },
    @Inject(ScheduleStore) store: ScheduleSweeperParts['store'],
    @Inject(Firing) firing: ScheduleSweeperParts['firing'],
    @Inject(SharedClock) { now }: Pick<SharedClock, 'now'>,
  ) {
    this.#parts = { lease, keys, log, store, firing, now };
    this.#report = onceASecond((error: unknown) =>
      log.warn({ event: 'schedules-fault', err: error }, 'what schedules are due could not be called; trying again'),
    );
    this.#rounds = new Rounds({ everyMs, round: async () => this.round(), onFault: this.#report });
  }

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
  }

  /** One round, unless another gateway has just had one. Rejects when Redis or Postgres is away. */
  async round(): Promise<void> {
    const { lease, keys } = this.#parts;
    await lease.open.alone(keys.soleSweeper('schedule'), everyMs / 2, () => this.sweep());
  }

  /** Looks at every schedule whose time has come. */
  async sweep(): Promise<void> {
    const { store, firing, now } = this.#parts;
    const due = [...(await store.dueAt(new Date(now()), mostOfRound))];
    const work = async (): Promise<void> => {
      for (let row = due.shift(); row && !this.#rounds.stopping.aborted; row = due.shift()) await this.#handle(row);
    };
    await Promise.all(Array.from({ length: together }, work));
    if (performance.now() - this.#keysAskedAt < keysEveryMs) return;
    for (const { reason, ...ended } of await store.ofEndedKeys(mostStopped)) await firing.stop(ended, reason);
    this.#keysAskedAt = performance.now();
  }

  /** One that fails does not keep the others from being called. */
  async #handle(row: ScheduleRow): Promise<void> {
    await this.#parts.firing.handle(row).catch(this.#report);
  }
}
