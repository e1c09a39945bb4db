import { Module } from '@nestjs/common';
import { CallCounts, QuotaTracker } from '#lib/transport';
import { Stores } from '../stores.js';
import { CallHistory } from './call-history.js';
import { HistoryModule } from './history.module.js';
import { UsageController } from './usage.controller.js';
import { UsageReader } from './usage.js';

@Module({
  imports: [HistoryModule],
  controllers: [UsageController],
  providers: [
    {
      provide: UsageReader,
      inject: [Stores, CallHistory],
      useFactory: ({ redis, keys, settings }: Stores, ended: CallHistory) =>
        new UsageReader({
          ended,
          counts: new CallCounts(redis, keys),
          chat: new QuotaTracker({ redis, keys, timeZone: settings.QUOTA_TZ }),
          settings,
        }),
    },
  ],
})
export class UsageModule {}
