import { Module } from '@nestjs/common';
import { StreamsModule } from '../http/streams.module.js';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { InvocationsModule } from '../invocations/invocations.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { Cursors, jobPlace } from './cursors.js';
import { JobsController } from './jobs.controller.js';
import { ReplayController } from './replay.controller.js';
import { StreamDoor } from './stream-door.js';

@Module({
  imports: [InvocationsModule, StreamsModule, RunsModule],
  controllers: [JobsController, ReplayController],
  providers: [
    StreamDoor,
    {
      provide: Cursors,
      inject: [Infrastructure],
      useFactory: ({ settings }: Infrastructure) => new Cursors(settings.SEALING_KEYS, jobPlace),
    },
  ],
  exports: [StreamDoor],
})
export class JobsModule {}
