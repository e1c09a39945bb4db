import { Module } from '@nestjs/common';
import { domains } from '#lib/contracts';
import { onceASecond } from '#lib/platform';
import { Stores } from '../stores.js';
import { CallPauses } from './call-pauses.js';
import { PauseDirectory, ReadyPause } from './pause-directory.js';
import { PauseKeeper } from './pause-keeper.js';
import { PauseStore, type PauseRow } from './pause-store.js';

/** When calls may run: what is paused. */
@Module({
  providers: [
    { provide: PauseStore, inject: [Stores], useFactory: ({ database }: Stores) => new PauseStore(database) },
    {
      provide: PauseDirectory,
      inject: [Stores, PauseStore],
      useFactory: ({ redis, subscriber, keys, log }: Stores, store: PauseStore) =>
        new PauseDirectory({
          store,
          redis,
          subscriber,
          channel: keys.pauseChanges(),
          what: 'pauses',
          ready: (row: PauseRow) => new ReadyPause(row),
          onFault: reporting(log),
        }),
    },
    { provide: CallPauses, inject: [PauseDirectory], useFactory: (directory: PauseDirectory) => new CallPauses(directory) },
    {
      provide: PauseKeeper,
      inject: [Stores, PauseDirectory, PauseStore],
      useFactory: ({ store: calls, partitions, servedDirectory, catalog, log }: Stores, directory: PauseDirectory, store: PauseStore) =>
        new PauseKeeper({
          directory,
          store,
          calls,
          queues: () => [...Object.keys(domains), ...servedDirectory.queues],
          partitions: (queue) => partitions.all(queue),
          find: ({ tool, version, caller }) => {
            const seen = catalog.seenBy(caller.tenantId);
            return seen.find(tool, version) ?? seen.find(tool);
          },
          onFault: reporting(log),
        }),
    },
  ],
  exports: [PauseStore, PauseDirectory, CallPauses, PauseKeeper],
})
export class FlowModule {}

function reporting(log: Stores['log']): (error: unknown) => void {
  return onceASecond((error: unknown) =>
    log.warn({ event: 'pauses-fault', err: error }, 'pauses could not be read or applied; they stay as they were, and it is tried again'),
  );
}
