import { Module } from '@nestjs/common';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { EventStreams } from './event-streams.js';

/** The open event streams of this process, which every streaming door shares. */
@Module({
  providers: [
    {
      provide: EventStreams,
      inject: [Infrastructure],
      useFactory: ({ log }: Infrastructure) => new EventStreams(log),
    },
  ],
  exports: [EventStreams],
})
export class StreamsModule {}
