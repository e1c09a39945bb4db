import { Module } from '@nestjs/common';
import { domains } from '#lib/contracts';
import { onceASecond } from '#lib/platform';
import { FlowLines, type InvocationHead } from '#lib/transport';
import { Stores } from '../stores.js';
import { CallFlows } from './call-flows.js';
import { CallPauses } from './call-pauses.js';
import { FlowDirectory, ReadyFlow } from './flow-directory.js';
import { FlowKeeper } from './flow-keeper.js';
import { FlowStore, type FlowRow } from './flow-store.js';
import { PauseDirectory, ReadyPause } from './pause-directory.js';
import { PauseKeeper } from './pause-keeper.js';
import { PauseStore, type PauseRow } from './pause-store.js';
import { WaitingLines } from './waiting-lines.js';

/** When calls may run: what is paused, and what waits for other calls. */
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
          channel: keys.changesOf('pause'),
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
          find: findingIn(catalog),
          onFault: reporting(log),
        }),
    },
    { provide: FlowStore, inject: [Stores], useFactory: ({ database }: Stores) => new FlowStore(database) },
    {
      provide: FlowDirectory,
      inject: [Stores, FlowStore],
      useFactory: ({ redis, subscriber, keys, log }: Stores, store: FlowStore) =>
        new FlowDirectory({
          store,
          redis,
          subscriber,
          channel: keys.changesOf('flow'),
          what: 'flows',
          ready: (row: FlowRow) => new ReadyFlow(row, keys.flow(row.tenantId, row.name)),
          onFault: reportingFlows(log),
        }),
    },
    { provide: FlowLines, inject: [Stores], useFactory: ({ redis, keys }: Stores) => new FlowLines(redis, keys) },
    {
      provide: WaitingLines,
      inject: [Stores, FlowLines],
      useFactory: ({ store: calls }: Stores, lines: FlowLines) => new WaitingLines({ lines, calls }),
    },
    {
      provide: CallFlows,
      inject: [Stores, FlowDirectory, FlowLines],
      useFactory: ({ keys, catalog }: Stores, directory: FlowDirectory, lines: FlowLines) =>
        new CallFlows({ directory, lines, keys, find: findingIn(catalog) }),
    },
    {
      provide: FlowKeeper,
      inject: [Stores, CallFlows, FlowLines, FlowDirectory, FlowStore],
      useFactory: (
        { store: calls, partitions, servedDirectory, catalog, followers, keys, log }: Stores,
        flows: CallFlows,
        lines: FlowLines,
        directory: FlowDirectory,
        store: FlowStore,
      ) =>
        new FlowKeeper({
          flows,
          lines,
          directory,
          store,
          calls,
          followers,
          keys,
          partitions: () => [...Object.keys(domains), ...servedDirectory.queues].flatMap((queue) => partitions.all(queue)),
          find: findingIn(catalog),
          onFault: reportingFlows(log),
        }),
    },
  ],
  exports: [PauseStore, PauseDirectory, CallPauses, PauseKeeper, FlowStore, FlowDirectory, CallFlows, FlowKeeper, WaitingLines],
})
export class FlowModule {}

/** The contract by which a call was accepted, or its tool's of now. */
function findingIn(catalog: Stores['catalog']) {
  return ({ tool, version, caller }: Pick<InvocationHead, 'tool' | 'version' | 'caller'>) => {
    const seen = catalog.seenBy(caller.tenantId);
    return seen.find(tool, version) ?? seen.find(tool);
  };
}

function reportingFlows(log: Stores['log']): (error: unknown) => void {
  return onceASecond((error: unknown) =>
    log.warn({ event: 'flows-fault', err: error }, 'flows could not be read or applied; calls that wait go on later'),
  );
}

function reporting(log: Stores['log']): (error: unknown) => void {
  return onceASecond((error: unknown) =>
    log.warn({ event: 'pauses-fault', err: error }, 'pauses could not be read or applied; they stay as they were, and it is tried again'),
  );
}
