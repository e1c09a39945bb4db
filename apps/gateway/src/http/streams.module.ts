import { Module } from '@nestjs/common';
import { Authenticator } from '../callers/authenticator.js';
import { CallersModule } from '../callers/callers.module.js';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { EventStreams } from './event-streams.js';

/** The open event streams of this process, which every streaming door shares. */
@Module({
  imports: [CallersModule],
  providers: [
    {
      provide: EventStreams,
      inject: [Infrastructure, Authenticator],
      useFactory: ({ log }: Infrastructure, authenticator: Authenticator) => new EventStreams(authenticator, log),
    },
  ],
  exports: [EventStreams],
})
export class StreamsModule {}
