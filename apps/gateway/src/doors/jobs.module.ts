import { Module } from '@nestjs/common';
import { StreamsModule } from '../http/streams.module.js';
import { CallsModule } from '../calls/calls.module.js';
import { FlowModule } from '../rules/flow/flow.module.js';
import { CallListsModule } from '../records/call-lists.module.js';
import { CallersModule } from '../callers/callers.module.js';
import { CancelJobsController } from './cancel-jobs.controller.js';
import { JobsController } from './jobs.controller.js';
import { ReplayController } from './replay.controller.js';
import { ResultsController } from './results.controller.js';
import { StreamDoor } from './stream-door.js';

@Module({
  imports: [CallersModule, CallsModule, StreamsModule, CallListsModule, FlowModule],
  controllers: [JobsController, CancelJobsController, ReplayController, ResultsController],
  providers: [StreamDoor],
  exports: [StreamDoor],
})
export class JobsModule {}
