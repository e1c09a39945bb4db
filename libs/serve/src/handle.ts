import { ownProperties, type CacheRule, type ToolFields, type ToolInput, type ToolLiteral, type ToolOutput } from '#lib/contracts';
import type { OwnToolContext, RefuseWith } from '#lib/handlers';
import { withFilesSent } from './file.js';
import { servedName, type Tool } from './own-contract.js';

type Handled = ToolFields & { readonly domain: string; readonly cache?: CacheRule };

/** Binds a function to its contract: `handle(contract, (input, context) => output)`. The types of both are those of the contract. */
export function handle<Contract extends Handled>(
  contract: Contract,
  implementation: (
    input: ToolInput<Contract>,
    context: OwnToolContext & RefuseWith<ToolLiteral<Contract>>,
  ) => Promise<ToolOutput<Contract>> | ToolOutput<Contract>,
): Tool {
  return {
    contract: { ...contract, domain: servedName(contract.domain) },
    run: async (input, context) =>
      withFilesSent(await implementation(parsed(contract, input), { ...context, error: context.refusal }), context.sendFile),
  };
}

/** Parsed again here: the gateway does not check what JSON Schema cannot say. */
function parsed<Contract extends Handled>(contract: Contract, input: unknown): ToolInput<Contract>;
function parsed(contract: Handled, input: unknown): unknown {
  return contract.input.parse(ownProperties(contract.input, input));
}
