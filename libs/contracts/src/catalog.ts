import type { ToolContract } from './define-tool.js';
import { domains, type DomainName } from './domains.js';
import { phaseOf } from './lifecycle.js';
import { compareVersions } from './versions.js';

/**
 * All tools that a process knows, by name and alias. Its own tools never change; tools of outside servers are replaced while it runs.
 * A tool may have several versions. Two tools with one name make the constructor throw, so the process does not start.
 */
export class Catalog {
  readonly #own: readonly ToolContract[];
  /** Where tools that are not served would be, by their names and aliases. */
  readonly #unserved: ReadonlyMap<string, DomainName>;
  readonly #served: readonly string[];
  #tools: readonly ToolContract[] = [];
  #byName: ReadonlyMap<string, readonly ToolContract[]> = new Map();

  /** @param served the domains that this installation runs: tools of the others are neither listed nor found */
  constructor(contracts: readonly ToolContract[], served: readonly string[] = Object.keys(domains)) {
    this.#served = served;
    this.#own = contracts.filter(({ domain }) => served.includes(domain));
    const others = contracts.filter(({ domain }) => !served.includes(domain));
    this.#unserved = new Map(
      others.flatMap(({ name, aliases = [], domain }) => [name, ...aliases].map((key) => [key.toLowerCase(), domain])),
    );
    this.replaceOutside([]);
  }

  /** Replaces all outside tools at once. Throws when two tools have the same name; the catalog is then unchanged. */
  replaceOutside(contracts: readonly ToolContract[]): void {
    const outside = contracts.filter(({ domain }) => this.#served.includes(domain));
    const all = [...this.#own, ...outside].toSorted((a, b) => compareVersions(b.version, a.version));
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

  /** One version of each tool: the one that the name without a version means. Sorted by name, so that lists are stable. */
  get tools(): readonly ToolContract[] {
    return this.#tools;
  }

  /** The tools that lists show: not the internal, unlisted and suspended ones. */
  get listed(): readonly ToolContract[] {
    return this.#tools.filter((tool) => !tool.internal && !tool.unlisted && !tool.suspended);
  }

  /** The listed tools without deprecated ones, which would be refused. These are offered to models. */
  offered(now: Date): readonly ToolContract[] {
    return this.listed.filter((tool) => phaseOf(tool, now) !== 'deprecated');
  }

  /**
   * A tool by its exact name, or by an alias in any case. Without `version`: the newest version that is no preview, else the newest.
   * @returns undefined when there is no such tool or version
   */
  find(name: string, version?: string): ToolContract | undefined {
    const versions = this.versions(name);
    if (version !== undefined) return versions.find((contract) => contract.version === version);
    return versions.find(({ preview }) => !preview) ?? versions[0];
  }

  /** All versions of a tool, the newest first. */
  versions(name: string): readonly ToolContract[] {
    const key = name.toLowerCase();
    // The snake_case name is matched exactly. Aliases from the source documents are matched in any case (C-19).
    const isCalled = ({ name: own, aliases = [] }: ToolContract) => own === name || aliases.some((alias) => alias.toLowerCase() === key);
    return (this.#byName.get(key) ?? []).filter(isCalled);
  }

  /** The domain of a tool that this installation could serve and does not; undefined for any other name. */
  unservedDomain(name: string): DomainName | undefined {
    return this.#unserved.get(name.toLowerCase());
  }

  names(): readonly string[] {
    return this.listed.map((tool) => tool.name);
  }
}
