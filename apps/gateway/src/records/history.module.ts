import { Module } from '@nestjs/common';
import { domains } from '#lib/contracts';
import { EndedCalls, OutboxEntries } from '#lib/transport';
import { Outbox } from '../outbox/outbox.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { Stores } from '../stores.js';
import { AuditController } from './audit.controller.js';
import { AuditTrail } from './audit-trail.js';
import { CallHistory } from './call-history.js';
import { DayKeeper } from './day-keeper.js';
import { HistoryController } from './history.controller.js';
import { HistoryWriter } from './history-writer.js';

@Module({
  imports: [OutboxModule],
  controllers: [HistoryController, AuditController],
  providers: [
    {
      provide: CallHistory,
      inject: [Stores],
      useFactory: ({ database, settings }: Stores) => new CallHistory({ database, sealingKeys: settings.SEALING_KEYS }),
    },
    {
      provide: AuditTrail,
      inject: [Stores],
      useFactory: ({ database, settings }: Stores) => new AuditTrail({ database, sealingKeys: settings.SEALING_KEYS }),
    },
    {
      provide: HistoryWriter,
      inject: [Stores, Outbox],
      useFactory: ({ redis, keys, store, database, servedDirectory, partitions, log }: Stores, outbox: Outbox) =>
        new HistoryWriter({
          ended: new EndedCalls(redis, keys),
          entries: new OutboxEntries(redis, keys),
          outbox,
          store,
          database,
          // Of domains that this gateway does not serve too: another one may have accepted their calls.
          partitions: () => [...Object.keys(domains), ...servedDirectory.queues].flatMap((name) => partitions.all(name)),
          log,
        }),
    },
    {
      provide: DayKeeper,
      inject: [Stores],
      useFactory: ({ database, settings, log }: Stores) => new DayKeeper({ database, settings, log }),
    },
  ],
})
export class HistoryModule {}
