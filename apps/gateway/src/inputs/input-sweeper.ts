import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { onceASecond, Rounds } from '#lib/platform';
import { InputStore } from '../calls/waiting/input-store.js';
import { InputRequests } from './input-requests.js';
import { Stores } from '../stores.js';
import { SharedClock } from '#lib/transport';

const everyMs = 2_000;
const mostOfRound = 200;
const dayMs = 86_400_000;
const forgetEveryMs = 3_600_000;

/**
 * Has rows follow the records of their calls where nobody did: nobody decided in time, or whoever did died before it was noted. Every gateway
 * has one; several at once do no harm, and where nothing waits it costs one look at an index.
 */
@Injectable()
export class InputSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #report = onceASecond((error: unknown) =>
    this.stores.log.warn({ event: 'inputs-fault', err: error }, 'input requests could not be compared with their calls; trying again'),
  );
  readonly #rounds = new Rounds({ everyMs, round: async () => this.sweep(), onFault: this.#report });
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly stores: Stores,
    private readonly inputs: InputStore,
    private readonly requests: InputRequests,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
  }

  /** One round. Rejects when Postgres is away. */
  async sweep(): Promise<void> {
    const { HISTORY_DAYS: days } = this.stores.settings;
    const due = await this.inputs.dueAt(new Date(this.clock.now()), mostOfRound);
    // One that fails does not keep the others.
    for (const row of due) if (!this.#rounds.stopping.aborted) await this.requests.settled(row).catch(this.#report);
    if (performance.now() - this.#forgotAt < forgetEveryMs) return;
    await this.inputs.forget(new Date(this.clock.now() - days * dayMs));
    this.#forgotAt = performance.now();
  }
}
