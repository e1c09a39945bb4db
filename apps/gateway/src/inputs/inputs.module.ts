import { Module } from '@nestjs/common';
import { onceASecond } from '#lib/platform';
import { sharedClock } from '#lib/transport';
import { Stores } from '../stores.js';
import { approvalFaults } from './approval-faults.js';
import { ApprovalRules } from './approval-rules.js';
import { Approvals } from './approvals.js';
import { InputStore } from './input-store.js';
import { Questions } from './questions.js';
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
      provide: Questions,
      inject: [Stores, InputStore],
      useFactory: ({ sealer }: Stores, store: InputStore) => new Questions({ store, sealer, now: sharedClock.now }),
    },
    {
      provide: Approvals,
      inject: [Stores, InputStore],
      useFactory: ({ sealer, catalog, log }: Stores, store: InputStore) => {
        const wrong = catalog.tools.flatMap((contract) => approvalFaults(contract).map((fault) => `${contract.name}: ${fault}`));
        if (wrong.length > 0) throw new TypeError(`Contracts ask for approvals by what is no condition: ${wrong.join('; ')}`);
        const report = onceASecond((fault: { readonly tool: string; readonly error: unknown }) =>
          log.warn(
            { event: 'approval-rule-fault', tool_name: fault.tool, err: fault.error },
            'whether a call needs an approval could not be worked out: it is asked for',
          ),
        );
        return new Approvals({ rules: new ApprovalRules({ onFault: (tool, error) => report({ tool, error }) }), store, sealer, log });
      },
    },
  ],
  exports: [Approvals, InputStore, Questions, WaitingTurns],
})
export class InputsModule {}
