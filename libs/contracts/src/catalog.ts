import type { ToolContract } from './define-tool.js';

/** All tools that a process knows, by every name they have. A clash of names fails the start. */
export class Catalog {
  readonly #byName = new Map<string, ToolContract>();
  readonly #tools: readonly ToolContract[];

  constructor(contracts: readonly ToolContract[]) {
    this.#tools = contracts.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const contract of contracts) {
      for (const name of [contract.name, ...(contract.aliases ?? [])]) {
        const key = name.toLowerCase();
        const holder = this.#byName.get(key);
        if (holder) throw new Error(`Two tools answer to "${name}": ${holder.name} and ${contract.name}. Rename one or drop the alias.`);
        this.#byName.set(key, contract);
      }
    }
  }

  /** Sorted by name, so lists are stable. */
  get tools(): readonly ToolContract[] {
    return this.#tools;
  }

  /** By name exactly, or by alias without regard to case. */
  find(name: string): ToolContract | undefined {
    const contract = this.#byName.get(name.toLowerCase());
    // The snake_case name itself is exact; only the source documents' other spellings are forgiving.
    return contract && (contract.name === name || contract.name !== name.toLowerCase()) ? contract : undefined;
  }

  names(): readonly string[] {
    return this.#tools.map((tool) => tool.name);
  }
}
