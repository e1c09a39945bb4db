import { Module } from '@nestjs/common';
import { sharedClock } from '#lib/transport';
import { Outbox } from '../outbox/outbox.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { Stores } from '../stores.js';
import { Approvals } from './approvals.js';
import { ConnectionLinks } from './connection-links.js';
import { DecisionLinks } from './decision-links.js';
import { InputStore } from './input-store.js';
import { WaitingTurns } from './waiting-turns.js';

/** What people are asked while calls rest. */
@Module({
  imports: [OutboxModule],
  providers: [
    DecisionLinks,
    ConnectionLinks,
    {
      provide: InputStore,
      inject: [Stores, Outbox],
      useFactory: ({ database, settings }: Stores, outbox: Outbox) => new InputStore(database, settings.INVOQ_NAMESPACE, outbox),
    },
    {
      provide: WaitingTurns,
      inject: [Stores],
      useFactory: ({ store, catalog, log }: Stores) =>
        new WaitingTurns({ store, contractOf: ({ tool, version }) => catalog.find(tool, version), log, now: sharedClock.now }),
    },
    Approvals,
  ],
  exports: [ConnectionLinks, DecisionLinks, Approvals, InputStore, WaitingTurns],
})
export class InputsModule {}
