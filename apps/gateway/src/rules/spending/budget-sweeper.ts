import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { Rounds, type Logger } from '#lib/platform';
import { costMicros, BudgetCounts, type HeldCall, type InvocationStore, type RedisKeys } from '#lib/transport';
import { BudgetDirectory, type ReadyBudget } from './budget-directory.js';
import { BudgetTeller } from './budget-teller.js';
import { Stores } from '../../stores.js';
import { SharedClock } from '#lib/transport';
import { reportingBudgetEvents } from './budget-teller.js';

/** A gateway looks this often; of all of them one does at a time. */
const everyMs = 15_000;
/** A call that came so long ago was accepted by now, or never will be. */
const graceMs = 300_000;

interface BudgetSweeperParts {
  readonly store: Pick<InvocationStore, 'peek' | 'read'> & { readonly open: Pick<InvocationStore['open'], 'alone'> };
  readonly keys: Pick<RedisKeys, 'soleSweeper'>;
  readonly directory: Pick<BudgetDirectory, 'of' | 'tenants'>;
  readonly counts: Pick<BudgetCounts, 'held' | 'settle'>;
  readonly teller: Pick<BudgetTeller, 'catchUp'>;
  /** Epoch ms. */
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
}

/**
 * Settles what a gateway left behind that was killed: room that is held for a call which was never accepted, or whose end found no room in
 * the history; and tells what it could not tell any more.
 */
@Injectable()
export class BudgetSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #parts: BudgetSweeperParts;
  readonly #rounds: Rounds;

  constructor(
    @Inject(Stores) { store, keys, log }: Pick<BudgetSweeperParts, 'store' | 'keys'> & { readonly log: Pick<Logger, 'warn'> },
    @Inject(BudgetDirectory) directory: BudgetSweeperParts['directory'],
    @Inject(BudgetCounts) counts: BudgetSweeperParts['counts'],
    @Inject(BudgetTeller) teller: BudgetSweeperParts['teller'],
    @Inject(SharedClock) { now }: Pick<SharedClock, 'now'>,
  ) {
    const onFault = reportingBudgetEvents(log);
    this.#parts = { store, keys, directory, counts, teller, now, onFault };
    this.#rounds = new Rounds({
      everyMs,
      round: async () => store.open.alone(keys.soleSweeper('budget'), everyMs / 2, async () => this.sweep()),
      onFault: onFault,
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
    const { directory } = this.#parts;
    for (const tenantId of directory.tenants) {
      if (this.#rounds.stopping.aborted) return;
      await this.#sweepHeld(tenantId);
      for (const budget of directory.of(tenantId)) await this.#tell(budget);
    }
  }

  async #sweepHeld(tenantId: string): Promise<void> {
    const { counts, now } = this.#parts;
    let cursor = '0';
    do {
      const page = await counts.held(tenantId, cursor);
      for (const call of page.calls) if (call.at < now() - graceMs) await this.#look(tenantId, call);
      ({ cursor } = page);
    } while (cursor !== '0' && !this.#rounds.stopping.aborted);
  }

  async #look(tenantId: string, { jobId }: HeldCall): Promise<void> {
    const { store, counts } = this.#parts;
    // One that Redis has not may rest in Postgres.
    const record = (await store.peek(jobId)) ?? (await store.read(jobId));
    if (!record) await counts.settle(tenantId, jobId, { ran: false, micros: 0 });
    else if (record.ending) {
      const { head, ending } = record;
      await counts.settle(tenantId, jobId, { ran: ending.attempts > 0, micros: costMicros(head, ending) ?? 0 });
    }
  }

  /** In this period, and in the one before: it may have warned in its last moment. */
  async #tell(budget: ReadyBudget): Promise<void> {
    const { teller, now } = this.#parts;
    const present = budget.at(now());
    await teller.catchUp(budget, present);
    await teller.catchUp(budget, budget.at(present.start - 1));
  }
}
