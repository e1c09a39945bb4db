import { Module } from '@nestjs/common';
import { onceASecond } from '#lib/platform';
import { Stores } from '../stores.js';
import { expressionFaults } from './expression-faults.js';
import { CallRules } from './call-rules.js';
import { PolicyDirectory } from './policy-directory.js';
import { PolicyStore } from './policy-store.js';
import { ToolsetDirectory } from './toolset-directory.js';
import { ToolsetStore } from './toolset-store.js';

/** What is looked at before a call is accepted: the sets and policies of its tenant, and whether its contract asks for an approval. */
@Module({
  providers: [
    PolicyStore,
    PolicyDirectory,
    ToolsetStore,
    ToolsetDirectory,
    // The start of a gateway ends here where a contract has a wrong expression.
    {
      provide: CallRules,
      inject: [Stores, PolicyDirectory, PolicyStore],
      useFactory: ({ catalog, log }: Stores, policies: PolicyDirectory, { spent }: PolicyStore) => {
        const wrong = catalog.tools.flatMap((contract) => expressionFaults(contract).map((fault) => `${contract.name}: ${fault}`));
        if (wrong.length > 0) throw new TypeError(`Contracts have expressions that cannot be worked out: ${wrong.join('; ')}`);
        const report = onceASecond((fault: { readonly tool: string; readonly error: unknown }) =>
          log.warn(
            { event: 'approval-rule-fault', tool_name: fault.tool, err: fault.error },
            'whether a call needs an approval could not be worked out: it is asked for',
          ),
        );
        return new CallRules({ policies, spent, onFault: (tool, error) => report({ tool, error }) });
      },
    },
  ],
  exports: [CallRules, PolicyDirectory, PolicyStore, ToolsetDirectory, ToolsetStore],
})
export class RulesModule {}
