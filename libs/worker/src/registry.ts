import type { CalledTool, Catalog, DomainName, ToolContract } from '#lib/contracts';
import type { OutsideTools } from '#lib/transport';
import type { Handler } from '#lib/handlers';

/** Tools of outside servers, which come and go while the worker runs. */
export interface OutsideHandlers<Services> {
  readonly tools: OutsideTools;
  readonly catalog: Catalog;
  readonly handlerOf: (contract: ToolContract) => Handler<Services>;
}

/**
 * The handlers of one worker by tool and version. A contract without a handler, or the reverse, does not boot; what is
 * deprecated is never run and needs none.
 */
export class Registry<Services> {
  readonly #handlers: ReadonlyMap<string, Handler<Services>>;
  #outside: OutsideHandlers<Services> | null = null;

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
            `no handler for ${contract.name} ${contract.version}: write it in apps/${domain}-worker/src/tools/, then \`npm run format\` lists it`,
        ),
      ...handlers
        .filter(({ contract }) => !byKey.has(keyOf(contract)))
        .map(
          ({ contract }) =>
            `no contract ${contract.name} ${contract.version} in the domain ${domain}: write it in libs/contracts/src/tools/${domain}/, then \`npm run format\` lists it`,
        ),
    ];
    if (faults.length > 0) throw new Error(`The ${domain} worker cannot start:\n  ${faults.join('\n  ')}`);
  }

  /** Reads the tools of outside servers, when there are any, and keeps them up to date until `stop`. */
  async start(): Promise<void> {
    await this.#outside?.tools.start();
  }

  stop(): void {
    this.#outside?.tools.stop();
  }

  /** From now on the tools of these servers are run too. */
  serveOutside(outside: OutsideHandlers<Services>): void {
    this.#outside = outside;
  }

  /** The handler of this very version, of the tools that the caller's tenant has. */
  find({ tool: name, version, caller }: CalledTool): Handler<Services> | undefined {
    const contract = this.#outside?.catalog.seenBy(caller.tenantId).find(name, version);
    return this.#handlers.get(keyOf({ name, version })) ?? (contract && this.#outside?.handlerOf(contract));
  }

  /** The same, after another read of the outside tools where it is not known: a gateway may know a new tool before this process. */
  async resolve(called: CalledTool): Promise<Handler<Services> | undefined> {
    const known = this.find(called);
    if (known || !this.#outside) return known;
    await this.#outside.tools.refresh();
    return this.find(called);
  }
}

function keyOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}@${version}`;
}
