import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { onceASecond, Rounds, type Logger } from '#lib/platform';
import { InputStore } from '../calls/waiting/input-store.js';
import { InputRequests } from './input-requests.js';
import { Stores } from '../stores.js';
import { SharedClock } from '#lib/transport';

const everyMs = 2_000;
const mostOfRound = 200;
const dayMs = 86_400_000;
const forgetEveryMs = 3_600_000;

interface InputSweeperParts {
  readonly inputs: Pick<InputStore, 'dueAt' | 'forget'>;
  readonly requests: Pick<InputRequests, 'settled'>;
  /** How long those are kept that have come to their end. */
  readonly days: number;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

/**
 * Has rows follow the records of their calls where nobody did: nobody decided in time, or whoever did died before it was noted. Every gateway
 * has one; several at once do no harm, and where nothing waits it costs one look at an index.
 */
@Injectable()
export class InputSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #parts: InputSweeperParts;
  readonly #rounds: Rounds;
  readonly #report: (error: unknown) => void;
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(Stores) { log, settings }: Pick<InputSweeperParts, 'log'> & { readonly settings: Pick<Stores['settings'], 'HISTORY_DAYS'> },
    @Inject(InputStore) inputs: InputSweeperParts['inputs'],
    @Inject(InputRequests) requests: InputSweeperParts['requests'],
    @Inject(SharedClock) { now }: Pick<SharedClock, 'now'>,
  ) {
    this.#parts = { log, inputs, requests, now, days: settings.HISTORY_DAYS };
    this.#report = onceASecond((error: unknown) =>
      log.warn({ event: 'inputs-fault', err: error }, 'input requests could not be compared with their calls; trying again'),
    );
    this.#rounds = new Rounds({ everyMs, round: async () => this.sweep(), onFault: this.#report });
  }

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
  }

  /** One round. Rejects when Postgres is away. */
  async sweep(): Promise<void> {
    const { inputs, requests, days, now } = this.#parts;
    const due = await inputs.dueAt(new Date(now()), mostOfRound);
    // One that fails does not keep the others.
    for (const row of due) if (!this.#rounds.stopping.aborted) await requests.settled(row).catch(this.#report);
    if (performance.now() - this.#forgotAt < forgetEveryMs) return;
    await inputs.forget(new Date(now() - days * dayMs));
    this.#forgotAt = performance.now();
  }
}
