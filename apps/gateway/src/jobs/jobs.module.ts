import { Module } from '@nestjs/common';
import { StreamsModule } from '../http/streams.module.js';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { InvocationsModule } from '../invocations/invocations.module.js';
import { Cursors } from './cursors.js';
import { JobsController } from './jobs.controller.js';
import { StreamDoor } from './stream-door.js';

@Module({
  imports: [InvocationsModule, StreamsModule],
  controllers: [JobsController],
  providers: [
    StreamDoor,
    {
      provide: Cursors,
      inject: [Infrastructure],
      useFactory: ({ settings }: Infrastructure) => {
        const [signing] = settings.SEALING_KEYS;
        if (!signing) throw new Error('SEALING_KEYS is empty');
        return new Cursors(signing.key);
      },
    },
  ],
  exports: [StreamDoor],
})
export class JobsModule {}
