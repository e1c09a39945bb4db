import { Module } from '@nestjs/common';
import { StreamsModule } from '../http/streams.module.js';
import { Stores } from '../stores.js';
import { CallsModule } from '../calls/calls.module.js';
import { FlowModule } from '../rules/flow/flow.module.js';
import { CallListsModule } from '../records/call-lists.module.js';
import { Cursors, jobPlace } from '../http/cursors.js';
import { CallersModule } from '../callers/callers.module.js';
import { CancelJobsController } from './cancel-jobs.controller.js';
import { JobsController } from './jobs.controller.js';
import { ReplayController } from './replay.controller.js';
import { ResultsController } from './results.controller.js';
import { StreamDoor } from './stream-door.js';

@Module({
  imports: [CallersModule, CallsModule, StreamsModule, CallListsModule, FlowModule],
  controllers: [JobsController, CancelJobsController, ReplayController, ResultsController],
  providers: [
    StreamDoor,
    // Cursors are of some place: here of a place among jobs.
    {
      provide: Cursors,
      inject: [Stores],
      useFactory: ({ settings }: Stores) => new Cursors(settings.SEALING_KEYS, jobPlace),
    },
  ],
  exports: [StreamDoor],
})
export class JobsModule {}
