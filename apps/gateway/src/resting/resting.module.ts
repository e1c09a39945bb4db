import { Module } from '@nestjs/common';
import { domains } from '#lib/contracts';
import { sharedClock } from '#lib/transport';
import { Stores } from '../stores.js';
import { CallArchive } from './call-archive.js';
import { CallMover } from './call-mover.js';

/** Calls that rest for long. */
@Module({
  providers: [
    {
      provide: CallArchive,
      inject: [Stores],
      useFactory: ({ database, settings, store, log }: Stores) => {
        const archive = new CallArchive({ database, namespace: settings.INVOQ_NAMESPACE, store, log, now: sharedClock.now });
        store.keptElsewhere(archive);
        return archive;
      },
    },
    {
      provide: CallMover,
      inject: [Stores, CallArchive],
      useFactory: ({ store, partitions, servedDirectory, settings, log }: Stores, archive: CallArchive) =>
        new CallMover({
          archive,
          resting: store.resting,
          moved: store.moved,
          partitions: () => [...Object.keys(domains), ...servedDirectory.queues].flatMap((queue) => partitions.all(queue)),
          most: settings.RESTING_IN_REDIS,
          log,
          now: sharedClock.now,
        }),
    },
  ],
  exports: [CallArchive, CallMover],
})
export class RestingModule {}
