import type { ToolContract } from './define-tool.js';

/**
 * All tools that a process knows, by every name they have: its own, which never change, and those of outside servers,
 * which come and go while it runs. A clash of names fails the start.
 */
export class Catalog {
  readonly #own: readonly ToolContract[];
  #tools: readonly ToolContract[] = [];
  #byName: ReadonlyMap<string, ToolContract> = new Map();

  constructor(contracts: readonly ToolContract[]) {
    this.#own = contracts;
    this.replaceOutside([]);
  }

  /** Puts these in the place of all outside tools, at once. Throws at a clash and leaves everything as it was. */
  replaceOutside(contracts: readonly ToolContract[]): void {
    const all = [...this.#own, ...contracts];
    const byName = new Map<string, ToolContract>();
    for (const contract of all) {
      for (const name of [contract.name, ...(contract.aliases ?? [])]) {
        const key = name.toLowerCase();
        const holder = byName.get(key);
        if (holder) throw new Error(`Two tools answer to "${name}": ${holder.name} and ${contract.name}. Rename one or drop the alias.`);
        byName.set(key, contract);
      }
    }
    this.#byName = byName;
    this.#tools = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Sorted by name, so lists are stable. */
  get tools(): readonly ToolContract[] {
    return this.#tools;
  }

  /** The tools that lists show. */
  get listed(): readonly ToolContract[] {
    return this.#tools.filter((tool) => !tool.unlisted && !tool.suspended);
  }

  /** By name exactly, or by alias without regard to case. */
  find(name: string): ToolContract | undefined {
    const contract = this.#byName.get(name.toLowerCase());
    // The snake_case name itself is exact; only the source documents' other spellings are forgiving.
    return contract && (contract.name === name || contract.name !== name.toLowerCase()) ? contract : undefined;
  }

  names(): readonly string[] {
    return this.listed.map((tool) => tool.name);
  }
}
