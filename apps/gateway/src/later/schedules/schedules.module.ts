import { Module } from '@nestjs/common';
import { CallersModule } from '../../callers/callers.module.js';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { CallsModule } from '../../calls/calls.module.js';
import { Firing } from './firing.js';
import { ScheduleStore } from './schedule-store.js';
import { ScheduleSweeper } from './schedule-sweeper.js';
import { SchedulesController } from './schedules.controller.js';
import { Schedules } from './schedules.js';

@Module({
  imports: [CallersModule, CallsModule, OutboxModule],
  controllers: [SchedulesController],
  providers: [ScheduleStore, Schedules, Firing, ScheduleSweeper],
})
export class SchedulesModule {}
