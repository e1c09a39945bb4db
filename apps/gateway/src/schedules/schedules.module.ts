import { Module } from '@nestjs/common';
import { sharedClock } from '#lib/transport';
import { Authenticator } from '../callers/authenticator.js';
import { CallersModule } from '../callers/callers.module.js';
import { Outbox } from '../outbox/outbox.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { Stores } from '../stores.js';
import { Calls } from '../calls/calls.js';
import { CallsModule } from '../calls/calls.module.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { Firing } from './firing.js';
import { ScheduleStore } from './schedule-store.js';
import { ScheduleSweeper } from './schedule-sweeper.js';
import { SchedulesController } from './schedules.controller.js';
import { Schedules } from './schedules.js';

@Module({
  imports: [CallersModule, CallsModule, OutboxModule],
  controllers: [SchedulesController],
  providers: [
    {
      provide: ScheduleStore,
      inject: [Stores, Outbox],
      useFactory: ({ database, settings }: Stores, outbox: Outbox) => new ScheduleStore(database, outbox, settings.INVOQ_NAMESPACE),
    },
    {
      provide: Schedules,
      inject: [Stores, ScheduleStore, ToolDirectory],
      useFactory: ({ sealer }: Stores, store: ScheduleStore, tools: ToolDirectory) =>
        new Schedules({ store, tools, sealer, now: sharedClock.now }),
    },
    {
      provide: Firing,
      inject: [Stores, ScheduleStore, Calls, Authenticator],
      useFactory: (
        { store: jobs, sealer, servedDirectory, log }: Stores,
        store: ScheduleStore,
        calls: Calls,
        authenticator: Authenticator,
      ) =>
        new Firing({
          store,
          calls,
          authenticator,
          sealer,
          jobs,
          prepare: (tenantId) => servedDirectory.prepare(tenantId),
          log,
          now: sharedClock.now,
        }),
    },
    {
      provide: ScheduleSweeper,
      inject: [Stores, ScheduleStore, Firing],
      useFactory: ({ store: lease, keys, log }: Stores, store: ScheduleStore, firing: Firing) =>
        new ScheduleSweeper({ lease, keys, store, firing, log, now: sharedClock.now }),
    },
  ],
})
export class SchedulesModule {}
