import { Module } from '@nestjs/common';
import { BudgetCounts, sharedClock } from '#lib/transport';
import { OutboxModule } from '../outbox/outbox.module.js';
import { Stores } from '../stores.js';
import { BudgetDirectory } from './budget-directory.js';
import { BudgetStore } from './budget-store.js';
import { BudgetSweeper } from './budget-sweeper.js';
import { BudgetTeller, reportingBudgetEvents } from './budget-teller.js';
import { CallBudgets } from './call-budgets.js';

/** What calls may spend: the budgets of tenants, and what is held and spent of them. */
@Module({
  imports: [OutboxModule],
  providers: [
    BudgetStore,
    { provide: BudgetCounts, inject: [Stores], useFactory: ({ redis, keys }: Stores) => new BudgetCounts(redis, keys) },
    BudgetDirectory,
    BudgetTeller,
    CallBudgets,
    {
      provide: BudgetSweeper,
      inject: [Stores, BudgetDirectory, BudgetCounts, BudgetTeller],
      useFactory: ({ store, keys, log }: Stores, directory: BudgetDirectory, counts: BudgetCounts, teller: BudgetTeller) =>
        new BudgetSweeper({ store, keys, directory, counts, teller, now: sharedClock.now, onFault: reportingBudgetEvents(log) }),
    },
  ],
  exports: [BudgetStore, BudgetCounts, BudgetDirectory, CallBudgets],
})
export class SpendingModule {}
