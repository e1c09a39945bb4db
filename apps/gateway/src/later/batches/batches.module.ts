import { Module } from '@nestjs/common';
import { CallersModule } from '../../callers/callers.module.js';
import { CallsModule } from '../../calls/calls.module.js';
import { StreamsModule } from '../../http/streams.module.js';
import { HistoryModule } from '../../records/history.module.js';
import { OutboxModule } from '../../outbox/outbox.module.js';
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
  providers: [BatchStore, FedBatches, BatchWatch, Rooms, BatchFeeder, BatchReplays, Batches, BatchResults],
})
export class BatchesModule {}
