import { Module } from '@nestjs/common';
import { Calls } from '../calls/calls.js';
import { CallsModule } from '../calls/calls.module.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { Hooks } from './hooks.js';
import { HooksModule } from './hooks.module.js';
import { ConnectionLinks } from '../calls/waiting/connection-links.js';
import { InputStore } from '../calls/waiting/input-store.js';
import { WaitingModule } from '../calls/waiting/waiting.module.js';
import { WaitingTurns } from '../calls/waiting/waiting-turns.js';
import { Stores } from '../stores.js';
import { AskedOfCaller } from './asked-of-caller.js';
import { DecisionLinkController } from './decision-link.controller.js';
import { InputRequestsController } from './input-requests.controller.js';
import { InputRequests } from './input-requests.js';
import { InputSweeper } from './input-sweeper.js';

@Module({
  imports: [CallsModule, HooksModule, WaitingModule],
  controllers: [InputRequestsController, DecisionLinkController],
  providers: [
    // What it is told of outside servers is joined here.
    {
      provide: InputRequests,
      inject: [Stores, InputStore, WaitingTurns, Calls, Hooks, ToolDirectory, ConnectionLinks],
      useFactory: (
        { store, sealer, accounts: { accounts }, outside, clock, log }: Stores,
        inputs: InputStore,
        turns: WaitingTurns,
        calls: Calls,
        hooks: Hooks,
        ...[tools, links]: [ToolDirectory, ConnectionLinks]
      ) => {
        const requests = new InputRequests({
          inputs,
          links,
          accounts,
          turns,
          calls,
          hooks,
          store,
          tools,
          sealer,
          log,
          now: clock.now,
        });
        outside.onOpened((opened) => {
          requests.opened(opened).catch((err: unknown) => {
            log.warn({ event: 'inputs-fault', err }, 'calls that wait for an address could not be told');
          });
        });
        return requests;
      },
    },
    AskedOfCaller,
    InputSweeper,
  ],
  exports: [InputRequests, AskedOfCaller],
})
export class DecisionsModule {}
