import type { ToolContract } from './define-tool.js';
import { domains } from './domains.js';
import { phaseOf } from './lifecycle.js';
import { isAmong } from './narrowing.js';
import { offeredBySet, type Toolset } from './toolset.js';
import { compareVersions } from './versions.js';

type ContractsOf = () => readonly ToolContract[];

/** Catalogs of credentials that are kept: each has lists of its own. */
const maxNarrow = 1_000;

/** Of a call: the tool and version by which it was accepted, and whose it is. */
export interface CalledTool {
  readonly tool: string;
  readonly version: string;
  readonly caller: { readonly tenantId: string };
}

/**
 * All tools that a process knows, by name and alias. Its own tools never change; tools of outside servers, and those that tenants serve, are
 * replaced while it runs. A tool may have several versions. Two tools with one name make the constructor throw, so the process does not start.
 */
export class Catalog {
  readonly #own: readonly ToolContract[];
  /** Where tools that are not served would be, by their names and aliases. */
  #unserved: ReadonlyMap<string, ToolContract['domain']>;
  /** The settings that would turn tools on, by the names of these. */
  #off: ReadonlyMap<string, string>;
  readonly #served: readonly string[];
  /** The outside tools of all tenants. */
  #outside: readonly ToolContract[] = [];
  /** Those that are of one tenant alone, made when its view is needed. */
  #outsideOf: ReadonlyMap<string, ContractsOf> = new Map();
  /** What each tenant's own workers serve. */
  readonly #ofTenants = new Map<string, ContractsOf>();
  /** The catalogs of tenants, made when they are first asked for. */
  readonly #seen = new Map<string, Catalog>();
  /** The same of credentials that have some tools alone, by their patterns. */
  readonly #narrow = new Map<string, Catalog>();
  /** The same of named sets. */
  #ofSets = new WeakMap<Toolset, Catalog>();
  #tools: readonly ToolContract[] = [];
  #byName: ReadonlyMap<string, readonly ToolContract[]> = new Map();

  /**
   * @param served the domains that this installation runs: tools of the others are neither listed nor found
   * @param isOn of a setting that tools need; without it all are there
   */
  constructor(
    contracts: readonly ToolContract[],
    served: readonly string[] = Object.keys(domains),
    isOn: (setting: string) => boolean = () => true,
  ) {
    this.#served = served;
    this.#own = contracts.filter(({ domain, setting }) => served.includes(domain) && (setting === undefined || isOn(setting)));
    this.#off = new Map(
      contracts.flatMap((contract) =>
        contract.setting === undefined || isOn(contract.setting)
          ? []
          : namesOf(contract).map((key): [string, string] => [key, contract.setting ?? '']),
      ),
    );
    const others = contracts.filter(({ domain }) => !served.includes(domain));
    this.#unserved = new Map(
      others.flatMap((contract) => namesOf(contract).map((key): [string, ToolContract['domain']] => [key, contract.domain])),
    );
    this.#index(this.#own);
  }

  /**
   * Replaces all outside tools at once: those of all tenants, and those of each, which are asked for when its view is needed. Throws when two
   * of the first have the same name; the catalog is then unchanged. The view of a tenant for which nothing has changed stays.
   */
  replaceOutside(ofAll: readonly ToolContract[], ofTenants: ReadonlyMap<string, ContractsOf> = new Map()): void {
    const outside = ofAll.filter(({ domain }) => this.#served.includes(domain));
    const isChanged = outside.length !== this.#outside.length || outside.some((contract, index) => contract !== this.#outside[index]);
    if (isChanged) this.#index([...this.#own, ...outside]);
    const before = this.#outsideOf;
    this.#outside = outside;
    this.#outsideOf = ofTenants;
    if (isChanged) return this.#forgetViews();
    for (const tenant of new Set([...before.keys(), ...ofTenants.keys()]))
      if (before.get(tenant) !== ofTenants.get(tenant)) this.#seen.delete(tenant);
  }

  /**
   * Replaces what a tenant serves; what is made of the others' stays. A tool of theirs with the name of another is left out: the other was
   * there first.
   * @param contracts asked for when the tenant's view is needed; null when it serves nothing
   */
  replaceServed(tenantId: string, contracts: ContractsOf | null): void {
    if (contracts) this.#ofTenants.set(tenantId, contracts);
    else this.#ofTenants.delete(tenantId);
    this.#seen.delete(tenantId);
  }

  /** The contract by which a call was accepted. That version may be gone since: then the tool's of now. */
  contractOf({ tool, version, caller }: CalledTool): ToolContract | undefined {
    const seen = this.seenBy(caller.tenantId);
    return seen.find(tool, version) ?? seen.find(tool);
  }

  /**
   * The catalog as a tenant sees it: this one, what its own workers serve, and its own outside servers. One of these hides a server for all
   * with the same name.
   */
  seenBy(tenantId: string): Catalog {
    const ofServed = this.#ofTenants.get(tenantId);
    const ofOutside = this.#outsideOf.get(tenantId);
    if (!ofServed && !ofOutside) return this;
    const known = this.#seen.get(tenantId);
    if (known) return known;
    const outside = ofOutside?.() ?? [];
    const hidden = new Set(outside.map(({ upstream }) => upstream?.server));
    const first = [...this.#own, ...this.#outside.filter(({ upstream }) => !upstream || !hidden.has(upstream.server))];
    const taken = new Set(first.flatMap(namesOf));
    const seen = this.#with([...first, ...[...outside, ...(ofServed?.() ?? [])].filter(({ name }) => !taken.has(name.toLowerCase()))]);
    this.#seen.set(tenantId, seen);
    return seen;
  }

  /**
   * The catalog as a credential sees it that has some tools alone, by patterns of names (`isAmong`); without patterns all of this one.
   * Internal tools stay: their doors have rules of their own.
   */
  narrowedTo(patterns: readonly string[] | undefined): Catalog {
    if (patterns === undefined) return this;
    const key = patterns.join(' ');
    const known = this.#narrow.get(key);
    if (known) return known;
    const narrow = this.#with(this.all.filter((tool) => tool.internal || isAmong(patterns, tool)));
    if (this.#narrow.size >= maxNarrow) this.#narrow.clear();
    this.#narrow.set(key, narrow);
    return narrow;
  }

  /** The catalog as a named set has it, under the names of the set. Internal tools stay. */
  within(set: Toolset): Catalog {
    const known =
      this.#ofSets.get(set) ?? this.#with([...this.all.filter(({ internal }) => internal), ...offeredBySet(set, this.all).tools]);
    this.#ofSets.set(set, known);
    return known;
  }

  #with(contracts: readonly ToolContract[]): Catalog {
    const view = new Catalog([], this.#served);
    view.#unserved = this.#unserved;
    view.#off = this.#off;
    view.#index(contracts);
    return view;
  }

  #forgetViews(): void {
    this.#seen.clear();
    this.#narrow.clear();
    this.#ofSets = new WeakMap();
  }

  #index(contracts: readonly ToolContract[]): void {
    const all = contracts.toSorted((a, b) => compareVersions(b.version, a.version));
    const byName = new Map<string, ToolContract[]>();
    for (const contract of all) {
      for (const key of new Set(namesOf(contract))) {
        const holders = byName.get(key) ?? [];
        const clash = holders.find((holder) => holder.name !== contract.name || holder.version === contract.version);
        if (clash) throw new Error(`Two tools answer to "${key}": ${clash.name} and ${contract.name}. Rename one or drop the alias.`);
        byName.set(key, [...holders, contract]);
      }
    }
    this.#byName = byName;
    this.#tools = [...new Set(all.map(({ name }) => name))].toSorted().flatMap((name) => this.find(name) ?? []);
  }

  /** The names of the queues that calls of these tools are in: those of our domains, and of the tenant's. */
  get queues(): readonly string[] {
    return [...new Set([...Object.keys(domains), ...this.#tools.map(({ domain }) => domain)])];
  }

  /** The names of domains as callers know them. */
  get domains(): readonly string[] {
    return [...new Set([...Object.keys(domains), ...this.#tools.flatMap(({ served }) => served?.domain ?? [])])];
  }

  /** All versions of all tools. */
  get all(): readonly ToolContract[] {
    return [...new Set([...this.#byName.values()].flat())];
  }

  /** One version of each tool: the one that the name without a version means. Sorted by name, so that lists are stable. */
  get tools(): readonly ToolContract[] {
    return this.#tools;
  }

  /** The tools that lists show: not the internal, unlisted and suspended ones, and none that no worker serves. */
  get listed(): readonly ToolContract[] {
    return this.#tools.filter((tool) => !tool.internal && !tool.unlisted && !tool.suspended && !tool.away);
  }

  /** The listed tools without deprecated ones, which would be refused. These are offered to models. */
  offered(now: Date): readonly ToolContract[] {
    return this.listed.filter((tool) => phaseOf(tool, now) !== 'deprecated');
  }

  /**
   * A tool by its exact name, or by an alias in any case. Without `version`: the newest version that is no preview and that a worker serves,
   * else the newest that is no preview, else the newest.
   * @returns undefined when there is no such tool or version
   */
  find(name: string, version?: string): ToolContract | undefined {
    const versions = this.versions(name);
    if (version !== undefined) return versions.find((contract) => contract.version === version);
    return versions.find(({ preview, away }) => !preview && !away) ?? versions.find(({ preview }) => !preview) ?? versions[0];
  }

  /** All versions of a tool, the newest first. */
  versions(name: string): readonly ToolContract[] {
    const key = name.toLowerCase();
    // All of them are versions of one tool.
    const holders = this.#byName.get(key) ?? [];
    // The snake_case name is matched exactly. Aliases from the source documents are matched in any case (C-19).
    if (holders[0]?.name === name) return holders;
    return holders.filter(({ aliases = [] }) => aliases.some((alias) => alias.toLowerCase() === key));
  }

  /** The domain of a tool that this installation could serve and does not; undefined for any other name. */
  unservedDomain(name: string): ToolContract['domain'] | undefined {
    return this.#unserved.get(name.toLowerCase());
  }

  /** The setting that would turn on a tool that this installation has off; undefined for any other name. */
  offBy(name: string): string | undefined {
    return this.#off.get(name.toLowerCase());
  }

  names(): readonly string[] {
    return this.listed.map((tool) => tool.name);
  }
}

/** The names that a tool answers to, in lower case. */
function namesOf({ name, aliases = [] }: ToolContract): readonly string[] {
  return [name, ...aliases].map((one) => one.toLowerCase());
}
