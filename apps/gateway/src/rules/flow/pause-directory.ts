import { Injectable } from '@nestjs/common';
import { servedDomainName, type ToolContract } from '#lib/contracts';
import type { PartitionPause } from '#lib/transport';
import { TenantDirectory } from '../../tenants/tenant-directory.js';
import { Stores } from '../../stores.js';
import { operator, PauseStore, type PauseRow } from './pause-store.js';

/** A pause that is looked at. */
export class ReadyPause {
  readonly row: PauseRow;
  /** Names of the queues of its domain; null for every one. */
  readonly #queues: readonly string[] | null;

  constructor(row: PauseRow) {
    this.row = row;
    const { domain, pausedTenant: tenant } = row;
    this.#queues = domain === null ? null : [domain, ...(tenant === null ? [] : [servedDomainName({ tenant, domain })])];
  }

  /** Under which calls wait for it. */
  get id(): string {
    return String(this.row.revision);
  }

  /** Whether it is about calls of a queue. */
  isIn(queue: string): boolean {
    return this.#queues === null || this.#queues.includes(queue);
  }

  pauses({ name, domain }: Pick<ToolContract, 'name' | 'domain'>, tenant: string): boolean {
    const { tool, pausedTenant } = this.row;
    return (tool === null || tool === name) && (pausedTenant === null || pausedTenant === tenant) && this.isIn(domain);
  }

  /** For the workers of a queue that it is about. */
  get ofPartition(): PartitionPause {
    const { name, reason, tool, pausedTenant: tenant } = this.row;
    return { id: this.id, name, why: reason, ...(tool !== null && { tool }), ...(tenant !== null && { tenant }) };
  }
}

/** The pauses of all tenants and of the operator, by name. */
@Injectable()
export class PauseDirectory extends TenantDirectory<PauseRow, ReadyPause> {
  constructor(stores: Stores, store: PauseStore) {
    super(stores, { store, notice: 'pause', what: 'pauses', event: 'pauses-fault', ready: (row) => new ReadyPause(row) });
  }

  /** Those that calls of a tenant may meet. Throws NETWORK_ERROR. */
  met(tenantId: string): readonly ReadyPause[] {
    const [own, all] = [this.of(tenantId), this.of(operator)];
    return own.length === 0 ? all : [...all, ...own];
  }

  /** All of them. */
  get all(): readonly ReadyPause[] {
    return this.tenants.flatMap((tenant) => this.of(tenant));
  }
}
