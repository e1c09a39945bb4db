import { Module } from '@nestjs/common';
import { BudgetCounts, EndedCalls, OutboxEntries } from '#lib/transport';
import { CallBudgets } from '../spending/call-budgets.js';
import { SpendingModule } from '../spending/spending.module.js';
import { Outbox } from '../outbox/outbox.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { Stores } from '../stores.js';
import { AuditController } from './audit.controller.js';
import { AuditTrail } from './audit-trail.js';
import { CallHistory } from './call-history.js';
import { CallErrors } from './call-errors.js';
import { DayKeeper } from './day-keeper.js';
import { ErrorCounts } from './error-counts.js';
import { ErrorKeeper } from './error-keeper.js';
import { ErrorsController } from './errors.controller.js';
import { HistoryController } from './history.controller.js';
import { FailedCalls } from './failed-calls.js';
import { HistoryWriter } from './history-writer.js';

@Module({
  imports: [OutboxModule, SpendingModule],
  controllers: [HistoryController, AuditController, ErrorsController],
  providers: [
    CallHistory,
    AuditTrail,
    FailedCalls,
    {
      provide: HistoryWriter,
      inject: [Stores, Outbox, FailedCalls, BudgetCounts, CallBudgets],
      useFactory: (stores: Stores, outbox: Outbox, failed: FailedCalls, budgets: BudgetCounts, spending: CallBudgets) => {
        const { redis, keys, store, database, log } = stores;
        return new HistoryWriter({
          failed,
          budgets,
          spending,
          ended: new EndedCalls(redis, keys),
          entries: new OutboxEntries(redis, keys),
          outbox,
          store,
          database,
          partitions: () => stores.allPartitions,
          log,
        });
      },
    },
    {
      provide: CallErrors,
      inject: [Stores],
      useFactory: ({ errors: store, database, settings }: Stores) =>
        new CallErrors({
          counts: new ErrorCounts({ store, database, namespace: settings.INVOQ_NAMESPACE }),
          sealingKeys: settings.SEALING_KEYS,
        }),
    },
    {
      provide: ErrorKeeper,
      inject: [Stores],
      useFactory: ({ errors: store, database, settings, log }: Stores) =>
        new ErrorKeeper({ store, database, namespace: settings.INVOQ_NAMESPACE, settings, log }),
    },
    DayKeeper,
  ],
  exports: [FailedCalls, CallHistory],
})
export class HistoryModule {}
