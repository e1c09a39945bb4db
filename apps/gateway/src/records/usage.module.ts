import { Module } from '@nestjs/common';
import { HistoryModule } from './history.module.js';
import { UsageController } from './usage.controller.js';
import { UsageReader } from './usage.js';

@Module({
  imports: [HistoryModule],
  controllers: [UsageController],
  providers: [UsageReader],
})
export class UsageModule {}
