import { Module } from '@nestjs/common';
import { sharedClock } from '#lib/transport';
import { Stores } from '../stores.js';
import { Approvals } from './approvals.js';
import { InputStore } from './input-store.js';
import { WaitingTurns } from './waiting-turns.js';

/** What people are asked while calls rest. */
@Module({
  providers: [
    {
      provide: InputStore,
      inject: [Stores],
      useFactory: ({ database, settings }: Stores) => new InputStore(database, settings.INVOQ_NAMESPACE),
    },
    {
      provide: WaitingTurns,
      inject: [Stores],
      useFactory: ({ store, catalog, log }: Stores) =>
        new WaitingTurns({ store, contractOf: ({ tool, version }) => catalog.find(tool, version), log, now: sharedClock.now }),
    },
    {
      provide: Approvals,
      inject: [Stores, InputStore],
      useFactory: ({ sealer, log }: Stores, store: InputStore) => new Approvals({ store, sealer, log }),
    },
  ],
  exports: [Approvals, InputStore, WaitingTurns],
})
export class InputsModule {}
