import type { ToolContract } from './define-tool.js';
import { phaseOf } from './lifecycle.js';
import { compareVersions } from './versions.js';

/**
 * All tools that a process knows, by every name they have: its own, which never change, and those of outside servers,
 * which come and go while it runs. A tool may be there in several versions. A clash of names fails the start.
 */
export class Catalog {
  readonly #own: readonly ToolContract[];
  #tools: readonly ToolContract[] = [];
  #byName: ReadonlyMap<string, readonly ToolContract[]> = new Map();

  constructor(contracts: readonly ToolContract[]) {
    this.#own = contracts;
    this.replaceOutside([]);
  }

  /** Puts these in the place of all outside tools, at once. Throws at a clash and leaves everything as it was. */
  replaceOutside(contracts: readonly ToolContract[]): void {
    const all = [...this.#own, ...contracts].toSorted((a, b) => compareVersions(b.version, a.version));
    const byName = new Map<string, ToolContract[]>();
    for (const contract of all) {
      for (const key of new Set([contract.name, ...(contract.aliases ?? [])].map((name) => name.toLowerCase()))) {
        const holders = byName.get(key) ?? [];
        const clash = holders.find((holder) => holder.name !== contract.name || holder.version === contract.version);
        if (clash) throw new Error(`Two tools answer to "${key}": ${clash.name} and ${contract.name}. Rename one or drop the alias.`);
        byName.set(key, [...holders, contract]);
      }
    }
    this.#byName = byName;
    this.#tools = [...new Set(all.map(({ name }) => name))].toSorted().flatMap((name) => this.find(name) ?? []);
  }

  /** One version of each tool, the one that its bare name stands for. Sorted by name, so lists are stable. */
  get tools(): readonly ToolContract[] {
    return this.#tools;
  }

  /** The tools that lists show. */
  get listed(): readonly ToolContract[] {
    return this.#tools.filter((tool) => !tool.internal && !tool.unlisted && !tool.suspended);
  }

  /** The tools that a model is told of: what would only be refused is no help to it. */
  offered(now: Date): readonly ToolContract[] {
    return this.listed.filter((tool) => phaseOf(tool, now) !== 'deprecated');
  }

  /** By name exactly, or by alias without regard to case: the version that the bare name stands for, or this very one. */
  find(name: string, version?: string): ToolContract | undefined {
    const versions = this.versions(name);
    if (version !== undefined) return versions.find((contract) => contract.version === version);
    return versions.find(({ preview }) => !preview) ?? versions[0];
  }

  /** All versions of a tool, the newest first. */
  versions(name: string): readonly ToolContract[] {
    const key = name.toLowerCase();
    // The snake_case name is matched exactly; the source documents' other spellings in any case (C-19).
    const isCalled = ({ name: own, aliases = [] }: ToolContract) => own === name || aliases.some((alias) => alias.toLowerCase() === key);
    return (this.#byName.get(key) ?? []).filter(isCalled);
  }

  names(): readonly string[] {
    return this.listed.map((tool) => tool.name);
  }
}
