import { Module } from '@nestjs/common';
import { sharedClock } from '#lib/transport';
import { Authenticator } from '../callers/authenticator.js';
import { CallersModule } from '../callers/callers.module.js';
import { Calls } from '../calls/calls.js';
import { CallsModule } from '../calls/calls.module.js';
import { StreamsModule } from '../http/streams.module.js';
import { HistoryModule } from '../records/history.module.js';
import { Outbox } from '../outbox/outbox.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { Stores } from '../stores.js';
import { BatchFeed } from './batch-feed.js';
import { BatchFeeder } from './batch-feeder.js';
import { batchEvent } from './batch-event.js';
import { BatchReplays } from './batch-replays.js';
import { BatchResults } from './batch-results.js';
import { BatchStore } from './batch-store.js';
import { BatchWatch } from './batch-watch.js';
import { Batches } from './batches.js';
import { BatchesController } from './batches.controller.js';
import { Rooms } from './rooms.js';

@Module({
  imports: [CallersModule, CallsModule, HistoryModule, OutboxModule, StreamsModule],
  controllers: [BatchesController],
  providers: [
    {
      provide: BatchStore,
      inject: [Stores, Outbox],
      useFactory: ({ database, settings }: Stores, outbox: Outbox) =>
        new BatchStore(database, settings.INVOQ_NAMESPACE, async (transaction, row) => outbox.add(transaction, [batchEvent(row)])),
    },
    BatchWatch,
    Rooms,
    {
      provide: BatchFeeder,
      inject: [Stores, BatchStore, Calls, Authenticator, Rooms],
      useFactory: (stores: Stores, store: BatchStore, ...[calls, authenticator, rooms]: [Calls, Authenticator, Rooms]) => {
        const { store: jobs, sealer, servedDirectory, settings, log } = stores;
        const { now } = sharedClock;
        const prepare = (tenantId: string) => servedDirectory.prepare(tenantId);
        const parts = { store, calls, authenticator, jobs, sealer, prepare, log, now };
        return new BatchFeeder({
          store,
          feedOf: (row) => new BatchFeed({ ...parts, room: (tool) => rooms.of(row.tenantId, tool) }, row),
          days: settings.FAILED_DAYS,
          log,
          now,
        });
      },
    },
    BatchReplays,
    {
      provide: Batches,
      inject: [Stores, BatchStore, BatchFeeder, BatchReplays],
      useFactory: ({ sealer }: Stores, store: BatchStore, ...[feeder, replays]: [BatchFeeder, BatchReplays]) =>
        new Batches({ store, replays, sealer, nudge: () => feeder.nudge(), now: sharedClock.now }),
    },
    BatchResults,
  ],
})
export class BatchesModule {}
