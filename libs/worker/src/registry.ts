import type { DomainName, ToolContract } from '#lib/contracts';
import type { Handler } from './handle.js';

/** The handlers of one worker by tool name. A contract without a handler, or the reverse, does not boot. */
export class Registry<Services> {
  readonly #handlers: ReadonlyMap<string, Handler<Services>>;

  constructor(domain: DomainName, contracts: readonly ToolContract[], handlers: readonly Handler<Services>[]) {
    this.#handlers = new Map(handlers.map((handler) => [handler.contract.name, handler]));
    const wanted = contracts.filter((contract) => contract.domain === domain);
    const faults = [
      ...wanted
        .filter((contract) => !this.#handlers.has(contract.name))
        .map((contract) => `no handler for ${contract.name}: add it to the list of apps/${domain}-worker/src/tools/index.ts`),
      ...handlers
        .filter(({ contract }) => !wanted.includes(contract))
        .map(({ contract }) => `no contract ${contract.name} in the domain ${domain}: add it to libs/contracts/src/tools/index.ts`),
    ];
    if (faults.length > 0) throw new Error(`The ${domain} worker cannot start:\n  ${faults.join('\n  ')}`);
  }

  find(tool: string): Handler<Services> | undefined {
    return this.#handlers.get(tool);
  }
}
