import { Module } from '@nestjs/common';
import { Stores } from '../stores.js';
import { EventStreams } from './event-streams.js';

/** The open event streams of this process, which every streaming door shares. */
@Module({
  providers: [
    {
      provide: EventStreams,
      inject: [Stores],
      useFactory: ({ log }: Stores) => new EventStreams(log),
    },
  ],
  exports: [EventStreams],
})
export class StreamsModule {}
