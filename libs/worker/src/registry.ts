import type { DomainName, ToolContract } from '#lib/contracts';
import type { Handler } from './handle.js';

/**
 * The handlers of one worker by tool and version. A contract without a handler, or the reverse, does not boot; what is
 * deprecated is never run and needs none.
 */
export class Registry<Services> {
  readonly #handlers: ReadonlyMap<string, Handler<Services>>;

  constructor(domain: DomainName, contracts: readonly ToolContract[], handlers: readonly Handler<Services>[]) {
    const wanted = contracts.filter((contract) => contract.domain === domain);
    const byKey = new Map(wanted.map((contract) => [keyOf(contract), contract]));
    // The process's own contract counts: an installation may have moved its time limit.
    this.#handlers = new Map(
      handlers.map(({ contract, run }) => [keyOf(contract), { contract: byKey.get(keyOf(contract)) ?? contract, run }]),
    );
    const faults = [
      ...wanted
        .filter((contract) => !contract.deprecated && !this.#handlers.has(keyOf(contract)))
        .map(
          (contract) =>
            `no handler for ${contract.name} ${contract.version}: add it to the list of apps/${domain}-worker/src/tools/index.ts`,
        ),
      ...handlers
        .filter(({ contract }) => !byKey.has(keyOf(contract)))
        .map(
          ({ contract }) =>
            `no contract ${contract.name} ${contract.version} in the domain ${domain}: add it to libs/contracts/src/tools/index.ts`,
        ),
    ];
    if (faults.length > 0) throw new Error(`The ${domain} worker cannot start:\n  ${faults.join('\n  ')}`);
  }

  /** The handler of this very version. */
  find(name: string, version: string): Handler<Services> | undefined {
    return this.#handlers.get(keyOf({ name, version }));
  }
}

function keyOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}@${version}`;
}
