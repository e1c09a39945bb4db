import { Module } from '@nestjs/common';
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
      useFactory: (stores: Stores, archive: CallArchive) => {
        const { store, settings, log } = stores;
        return new CallMover({
          archive,
          resting: store.resting,
          moved: store.moved,
          partitions: () => stores.allPartitions,
          most: settings.RESTING_IN_REDIS,
          log,
          now: sharedClock.now,
        });
      },
    },
  ],
  exports: [CallArchive, CallMover],
})
export class RestingModule {}
