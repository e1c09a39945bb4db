import { ownProperties, type ToolContract, type ToolInput, type ToolLiteral, type ToolOutput } from '#lib/contracts';
import type { RefuseWith, ToolContext } from './context.js';

/** A tool's code behind its contract. Handlers are plain functions of (input, context). */
export interface Handler<Services> {
  readonly contract: ToolContract;
  /** Parses, runs, and gives back what the function gave. Throws what it threw. */
  readonly run: (input: unknown, context: HandlerContext<Services>) => Promise<unknown>;
}

export type HandlerContext<Services> = ToolContext & Services;

/** What a tool does: `(input, context) => output`. */
export type Implementation<Contract extends ToolContract, Services> = (
  input: ToolInput<Contract>,
  context: HandlerContext<Services> & RefuseWith<ToolLiteral<Contract>>,
) => Promise<ToolOutput<Contract>> | ToolOutput<Contract>;

/** Binds a function to its contract, whose types are those of the function. */
export type Handle<Services> = <Contract extends ToolContract>(
  contract: Contract,
  implementation: Implementation<Contract, Services>,
) => Handler<Services>;

/** Binds a worker's services once, so every handler of it is typed by its contract and them. */
export function handlersWith<Services>(): Handle<Services> {
  return function handle<Contract extends ToolContract>(
    contract: Contract,
    implementation: Implementation<Contract, Services>,
  ): Handler<Services> {
    return {
      contract,
      run: async (input, context) => implementation(parsed(contract, input), { ...context, error: context.refusal }),
    };
  };
}

/** Parsed again here: the queue is a boundary too. */
function parsed<Contract extends ToolContract>(contract: Contract, input: unknown): ToolInput<Contract>;
function parsed(contract: ToolContract, input: unknown): unknown {
  return contract.input.parse(ownProperties(contract.input, input));
}

/** Fetches large parameters in the attempt: a file store that is away is a failure like others, which the contract's rule retries. */
export function withParameters<Services extends object>(handler: Handler<Services>, parameters: () => Promise<unknown>): Handler<Services> {
  return { ...handler, run: async (_input, context) => handler.run(await parameters(), context) };
}
