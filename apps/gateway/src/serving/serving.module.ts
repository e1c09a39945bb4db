import { Module } from '@nestjs/common';
import { FileLinks, KeptFiles } from '#lib/files';
import { succeedingProcess } from '#lib/platform';
import { EventLog, InvocationStore, logRedisFaults, workerConnection } from '#lib/transport';
import { CallAccounts, Questions } from '#lib/worker';
import { Stores } from '../stores.js';
import { ServedFiles } from './served-files.js';
import { ServedToolsController } from './served-tools.controller.js';
import { ServingHub } from './serving-hub.js';
import { UnservedCalls } from './unserved-calls.js';
import { WorkersController } from './workers.controller.js';

/** Tools that tenants serve from workers of their own. */
@Module({
  controllers: [ServedToolsController, WorkersController],
  providers: [
    // It makes what runs the calls of tenants' workers, as a worker of the product does, on a connection of its own.
    {
      provide: ServingHub,
      inject: [Stores, KeptFiles, FileLinks],
      useFactory: (
        {
          settings,
          database,
          announcements,
          servedDirectory,
          redis,
          subscriber,
          keys,
          sealer,
          partitions,
          queues,
          files,
          pieces,
          hooks,
          accounts: { accounts },
          store,
          clock: { now },
          reports,
          log,
        }: Stores,
        kept: KeptFiles,
        links: FileLinks,
      ) => {
        const asked = { database, namespace: settings.INVOQ_NAMESPACE, sealer, now };
        const connection = workerConnection(settings);
        const succeeds = succeedingProcess();
        logRedisFaults([connection], log);
        const queue = {
          directory: servedDirectory,
          keys,
          sealer,
          connection,
          subscriber,
          store: new InvocationStore({
            redis: connection,
            keys,
            sealer,
            files,
            retriesRefusedWrites: true,
            now,
            succeeds,
          }),
          events: new EventLog(connection, keys),
          files,
          partitions,
          queues,
          servedFiles: new ServedFiles({ kept, pieces, links, store, now }),
          drainMs: settings.DRAIN_MS,
          succeeds,
          showCauses: settings.NODE_ENV === 'development',
          hooks,
          ask: new Questions(asked).ask,
          accounts: new CallAccounts({ ...asked, accounts }),
          now,
          reports,
          log,
        };
        return new ServingHub({
          database,
          announcements,
          directory: servedDirectory,
          redis,
          subscriber,
          keys,
          now,
          log,
          queue,
          unserved: new UnservedCalls(queue),
          maxWorkersOfKey: settings.WORKERS_PER_CREDENTIAL,
        });
      },
    },
  ],
  exports: [ServingHub],
})
export class ServingModule {}
