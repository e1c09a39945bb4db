import { Module } from '@nestjs/common';
import { EventStreams } from './event-streams.js';

/** The open event streams of this process, which every streaming door shares. */
@Module({
  providers: [EventStreams],
  exports: [EventStreams],
})
export class StreamsModule {}
