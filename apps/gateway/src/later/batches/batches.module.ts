import { Module } from '@nestjs/common';
import { Authenticator } from '../../callers/authenticator.js';
import { CallersModule } from '../../callers/callers.module.js';
import { Calls } from '../../calls/calls.js';
import { CallsModule } from '../../calls/calls.module.js';
import { StreamsModule } from '../../http/streams.module.js';
import { HistoryModule } from '../../records/history.module.js';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { Stores } from '../../stores.js';
import { BatchFeed } from './batch-feed.js';
import { BatchFeeder } from './batch-feeder.js';
import { BatchReplays } from './batch-replays.js';
import { BatchResults } from './batch-results.js';
import { BatchStore } from './batch-store.js';
import { BatchWatch } from './batch-watch.js';
import { Batches } from './batches.js';
import { FedBatches } from './fed-batches.js';
import { BatchesController } from './batches.controller.js';
import { Rooms } from './rooms.js';

@Module({
  imports: [CallersModule, CallsModule, HistoryModule, OutboxModule, StreamsModule],
  controllers: [BatchesController],
  providers: [
    BatchStore,
    FedBatches,
    BatchWatch,
    Rooms,
    // It makes a feed for each batch, of all that a feed needs.
    {
      provide: BatchFeeder,
      inject: [Stores, BatchStore, FedBatches, Calls, Authenticator, Rooms],
      useFactory: (
        stores: Stores,
        store: BatchStore,
        ...[batches, calls, authenticator, rooms]: [FedBatches, Calls, Authenticator, Rooms]
      ) => {
        const { store: jobs, sealer, servedDirectory, settings, log } = stores;
        const { now } = stores.clock;
        const prepare = (tenantId: string) => servedDirectory.prepare(tenantId);
        const parts = { store, batches, calls, authenticator, jobs, sealer, prepare, log, now };
        return new BatchFeeder({
          store,
          batches,
          feedOf: (row) => new BatchFeed({ ...parts, room: (tool) => rooms.of(row.tenantId, tool) }, row),
          days: settings.FAILED_DAYS,
          log,
          now,
        });
      },
    },
    BatchReplays,
    Batches,
    BatchResults,
  ],
})
export class BatchesModule {}
