import { Module } from '@nestjs/common';
import { sharedClock } from '#lib/transport';
import { CallsModule } from '../calls/calls.module.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { Stores } from '../stores.js';
import { Hooks } from './hooks.js';
import { HooksController } from './hooks.controller.js';

@Module({
  imports: [CallsModule],
  controllers: [HooksController],
  providers: [
    {
      provide: Hooks,
      inject: [Stores, ToolDirectory],
      useFactory: ({ store, hooks, log }: Stores, tools: ToolDirectory) =>
        new Hooks({ store, keys: hooks.keys, contractOf: (head) => tools.contractOf(head), log, now: sharedClock.now }),
    },
  ],
  exports: [Hooks],
})
export class HooksModule {}
