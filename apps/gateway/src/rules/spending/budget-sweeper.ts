import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { Rounds, type Logger } from '#lib/platform';
import { costMicros, BudgetCounts, type HeldCall } from '#lib/transport';
import { BudgetDirectory, type ReadyBudget } from './budget-directory.js';
import { BudgetTeller } from './budget-teller.js';
import { Stores } from '../../stores.js';
import { SharedClock } from '#lib/transport';
import { reportingBudgetEvents } from './budget-teller.js';

/** A gateway looks this often; of all of them one does at a time. */
const everyMs = 15_000;
/** A call that came so long ago was accepted by now, or never will be. */
const graceMs = 300_000;

/**
 * Settles what a gateway left behind that was killed: room that is held for a call which was never accepted, or whose end found no room in
 * the history; and tells what it could not tell any more.
 */
@Injectable()
export class BudgetSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #rounds: Rounds;

  constructor(
    @Inject(Stores) private readonly stores: Pick<Stores, 'store' | 'keys'> & { readonly log: Pick<Logger, 'warn'> },
    private readonly directory: BudgetDirectory,
    private readonly counts: BudgetCounts,
    private readonly teller: BudgetTeller,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {
    const { store, keys, log } = stores;
    this.#rounds = new Rounds({
      everyMs,
      round: async () => store.open.alone(keys.soleSweeper('budget'), everyMs / 2, async () => this.sweep()),
      onFault: reportingBudgetEvents(log),
    });
  }

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
  }

  /** Looks at all tenants with budgets. Rejects when Redis or Postgres is away. */
  async sweep(): Promise<void> {
    for (const tenantId of this.directory.tenants) {
      if (this.#rounds.stopping.aborted) return;
      await this.#sweepHeld(tenantId);
      for (const budget of this.directory.of(tenantId)) await this.#tell(budget);
    }
  }

  async #sweepHeld(tenantId: string): Promise<void> {
    let cursor = '0';
    do {
      const page = await this.counts.held(tenantId, cursor);
      for (const call of page.calls) if (call.at < this.clock.now() - graceMs) await this.#look(tenantId, call);
      ({ cursor } = page);
    } while (cursor !== '0' && !this.#rounds.stopping.aborted);
  }

  async #look(tenantId: string, { jobId }: HeldCall): Promise<void> {
    const { store } = this.stores;
    // One that Redis has not may rest in Postgres.
    const record = (await store.peek(jobId)) ?? (await store.read(jobId));
    if (!record) await this.counts.settle(tenantId, jobId, { ran: false, micros: 0 });
    else if (record.ending) {
      const { head, ending } = record;
      await this.counts.settle(tenantId, jobId, { ran: ending.attempts > 0, micros: costMicros(head, ending) ?? 0 });
    }
  }

  /** In this period, and in the one before: it may have warned in its last moment. */
  async #tell(budget: ReadyBudget): Promise<void> {
    const present = budget.at(this.clock.now());
    await this.teller.catchUp(budget, present);
    await this.teller.catchUp(budget, budget.at(present.start - 1));
  }
}
