import { setImmediate } from 'node:timers/promises';
import type { ToolContract } from '#lib/contracts';
import { ServedPresence, type ServedName } from '#lib/transport';
import type { ServedRow } from './served-row.js';
import type { ServedTools } from './served-tools.js';
import { ApprovedVersion } from './served-version.js';

/** Rows are read again that were changed so long before the latest one that is known: gateways' clocks and transactions overlap. */
const overlapMs = 60_000;
/** Contracts that are read at once. */
const batchSize = 100;

/**
 * The approved versions of all tenants, as this gateway knows them. A look at the store reads what has changed; contracts are made when
 * their tenant needs them.
 */
export class ApprovedVersions {
  readonly #store: Pick<ServedTools, 'changedSince' | 'removedSince' | 'approvedCount' | 'contractsOf'>;
  readonly #retryBaseMs: number;
  readonly #byField = new Map<string, ApprovedVersion>();
  readonly #ofTenants = new Map<string, Map<string, ApprovedVersion>>();
  /** Tenants of which some contracts are not made. */
  readonly #unbuilt = new Set<string>();
  readonly #building = new Map<string, Promise<void>>();
  /** Of the latest row that is known, in epoch ms. */
  #latest: number | null = null;

  constructor(store: Pick<ServedTools, 'changedSince' | 'removedSince' | 'approvedCount' | 'contractsOf'>, retryBaseMs: number) {
    this.#store = store;
    this.#retryBaseMs = retryBaseMs;
  }

  /**
   * Reads what has changed, and everything without its contracts where that is not enough to know all. Rejects when the store is away.
   * @returns the tenants that have other versions now
   */
  async read(readsAll: boolean): Promise<ReadonlySet<string>> {
    const since = readsAll || this.#latest === null ? null : new Date(this.#latest - overlapMs);
    // Removals first: one that is approved again meanwhile is among the changes.
    const removed = since === null ? [] : await this.#dropSince(since);
    const changed = new Set([...removed, ...(await this.#readSince(since))]);
    if (since === null || (await this.#store.approvedCount()) === this.#byField.size) return changed;
    // Some were removed by an older gateway or by hand, or came by a clock that is behind.
    return new Set([...changed, ...(await this.#readSince(null))]);
  }

  find(served: ServedName): ApprovedVersion | undefined {
    return this.#byField.get(ServedPresence.fieldOf(served));
  }

  of(field: string): ApprovedVersion | undefined {
    return this.#byField.get(field);
  }

  /** The queues of all of them. */
  get queues(): readonly string[] {
    return [...new Set([...this.#byField.values()].map(({ served }) => served.queue))];
  }

  ofTenant(tenantId: string): ReadonlyMap<string, ApprovedVersion> {
    return this.#ofTenants.get(tenantId) ?? new Map();
  }

  /** Whether all contracts of a tenant are made. */
  areBuilt(tenantId: string): boolean {
    return !this.#unbuilt.has(tenantId);
  }

  /** Makes what is not made yet of a tenant's contracts, one after the other: in between, others have their turn. */
  async build(tenantId: string): Promise<void> {
    const running = this.#building.get(tenantId) ?? this.#build(tenantId).finally(() => this.#building.delete(tenantId));
    this.#building.set(tenantId, running);
    await running;
  }

  contractsOf(tenantId: string, isServed: (field: string) => boolean): readonly ToolContract[] {
    return [...this.ofTenant(tenantId)].flatMap(([field, { built }]) => (built ? [isServed(field) ? built.contract : built.away] : []));
  }

  async #build(tenantId: string): Promise<void> {
    // What comes meanwhile is for the next time.
    this.#unbuilt.delete(tenantId);
    for (const version of this.ofTenant(tenantId).values()) {
      if (version.isBuilt) continue;
      await setImmediate();
      void version.built;
    }
  }

  async #readSince(since: Date | null): Promise<Set<string>> {
    const rows = await this.#store.changedSince(since);
    const fields = new Map(rows.map((row) => [ApprovedVersion.fieldOf(row), row]));
    const isNew = ([field, row]: [string, (typeof rows)[number]]) =>
      row.fingerprint === null ? !this.#byField.has(field) || since !== null : this.#byField.get(field)?.announced !== row.fingerprint;
    const changed = [...fields].filter(isNew).map(([, row]) => row);
    const tenants = new Set<string>();
    for (let at = 0; at < changed.length; at += batchSize)
      for (const row of await this.#store.contractsOf(changed.slice(at, at + batchSize))) tenants.add(this.#keep(row).tenantId);
    if (since === null) for (const [field, version] of this.#byField) if (!fields.has(field)) tenants.add(this.#drop(field, version));
    for (const { announcedAt, approvedAt } of rows)
      this.#latest = Math.max(this.#latest ?? 0, announcedAt.getTime(), approvedAt?.getTime() ?? 0);
    return tenants;
  }

  /** @returns the tenants of those that were removed after a time */
  async #dropSince(since: Date): Promise<readonly string[]> {
    const removals = await this.#store.removedSince(since);
    return removals.flatMap(({ tenantId, name, version, removedAt }) => {
      this.#latest = Math.max(this.#latest ?? 0, removedAt.getTime());
      const [found] = [...this.ofTenant(tenantId)].filter(([, { served }]) => served.name === name && served.version === version);
      return found ? [this.#drop(...found)] : [];
    });
  }

  #keep(row: ServedRow): ApprovedVersion {
    const version = new ApprovedVersion(row, this.#retryBaseMs);
    this.#byField.set(version.field, version);
    this.#unbuilt.add(row.tenantId);
    const ofTenant = this.#ofTenants.get(row.tenantId) ?? new Map<string, ApprovedVersion>();
    this.#ofTenants.set(row.tenantId, ofTenant.set(version.field, version));
    return version;
  }

  #drop(field: string, { tenantId }: ApprovedVersion): string {
    this.#byField.delete(field);
    const ofTenant = this.#ofTenants.get(tenantId);
    ofTenant?.delete(field);
    if (ofTenant?.size === 0) this.#ofTenants.delete(tenantId);
    return tenantId;
  }
}
