import { Module } from '@nestjs/common';
import { onceASecond } from '#lib/platform';
import { BudgetCounts, sharedClock } from '#lib/transport';
import { Outbox } from '../outbox/outbox.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { Stores } from '../stores.js';
import { BudgetDirectory, ReadyBudget } from './budget-directory.js';
import { BudgetStore, type BudgetRow } from './budget-store.js';
import { BudgetSweeper } from './budget-sweeper.js';
import { BudgetTeller } from './budget-teller.js';
import { CallBudgets } from './call-budgets.js';

/** What calls may spend: the budgets of tenants, and what is held and spent of them. */
@Module({
  imports: [OutboxModule],
  providers: [
    { provide: BudgetStore, inject: [Stores], useFactory: ({ database }: Stores) => new BudgetStore(database) },
    { provide: BudgetCounts, inject: [Stores], useFactory: ({ redis, keys }: Stores) => new BudgetCounts(redis, keys) },
    {
      provide: BudgetDirectory,
      inject: [Stores, BudgetStore],
      useFactory: ({ redis, subscriber, keys, log }: Stores, store: BudgetStore) =>
        new BudgetDirectory({
          store,
          redis,
          subscriber,
          channel: keys.changesOf('budget'),
          what: 'budgets',
          ready: (row: BudgetRow) => new ReadyBudget(row),
          onFault: onceASecond((error: unknown) =>
            log.warn({ event: 'budgets-fault', err: error }, 'the budgets of tenants could not be read; they stay as they were'),
          ),
        }),
    },
    {
      provide: BudgetTeller,
      inject: [Stores, Outbox, BudgetCounts],
      useFactory: ({ database, log }: Stores, outbox: Outbox, counts: BudgetCounts) =>
        new BudgetTeller({ database, outbox, counts, now: sharedClock.now, onFault: reporting(log) }),
    },
    {
      provide: CallBudgets,
      inject: [BudgetDirectory, BudgetStore, BudgetCounts, BudgetTeller],
      useFactory: (directory: BudgetDirectory, store: BudgetStore, counts: BudgetCounts, teller: BudgetTeller) =>
        new CallBudgets({ directory, store, counts, teller }),
    },
    {
      provide: BudgetSweeper,
      inject: [Stores, BudgetDirectory, BudgetCounts, BudgetTeller],
      useFactory: ({ store, keys, log }: Stores, directory: BudgetDirectory, counts: BudgetCounts, teller: BudgetTeller) =>
        new BudgetSweeper({ store, keys, directory, counts, teller, now: sharedClock.now, onFault: reporting(log) }),
    },
  ],
  exports: [BudgetStore, BudgetCounts, BudgetDirectory, CallBudgets],
})
export class SpendingModule {}

function reporting(log: Stores['log']): (error: unknown) => void {
  return onceASecond((error: unknown) =>
    log.warn({ event: 'budget-events-fault', err: error }, 'what became of budgets could not be told or settled; trying again'),
  );
}
