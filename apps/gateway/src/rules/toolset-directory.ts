import { Injectable } from '@nestjs/common';
import { storedToolset, type Toolset } from '#lib/contracts';
import { TenantDirectory } from '../tenants/tenant-directory.js';
import { Stores } from '../stores.js';
import { ToolsetStore, type ToolsetRow } from './toolset-store.js';

export interface ReadyToolset {
  readonly name: string;
  readonly set: Toolset;
}

/** What a credential sees whose set is gone, or cannot be read. */
export const emptyToolset: Toolset = { tools: [], rename: {}, prefix: '', readOnly: true };

/** The named sets of all tenants. */
@Injectable()
export class ToolsetDirectory extends TenantDirectory<ToolsetRow, ReadyToolset> {
  constructor(stores: Stores, store: ToolsetStore) {
    super(stores, { store, notice: 'toolset', what: 'sets of tools', event: 'toolsets-fault', ready: readyToolset });
  }

  /** Throws NETWORK_ERROR. */
  find(tenantId: string, name: string): Toolset | undefined {
    return this.of(tenantId).find((one) => one.name === name)?.set;
  }
}

export function readyToolset(row: ToolsetRow): ReadyToolset {
  return { name: row.name, set: storedToolset.safeParse(row).data ?? emptyToolset };
}
