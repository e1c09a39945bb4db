import { Module } from '@nestjs/common';
import { CallCounts, QuotaTracker } from '#lib/transport';
import { Stores } from '../stores.js';
import { UsageController } from './usage.controller.js';
import { UsageReader } from './usage.js';

@Module({
  controllers: [UsageController],
  providers: [
    {
      provide: UsageReader,
      inject: [Stores],
      useFactory: ({ redis, keys, settings }: Stores) =>
        new UsageReader({
          counts: new CallCounts(redis, keys),
          chat: new QuotaTracker({ redis, keys, timeZone: settings.QUOTA_TZ }),
          settings,
        }),
    },
  ],
})
export class UsageModule {}
