import { storedToolset, type Toolset } from '#lib/contracts';
import { TenantDirectory } from './tenant-directory.js';
import type { ToolsetRow } from './toolset-store.js';

export interface ReadyToolset {
  readonly name: string;
  readonly set: Toolset;
}

/** What a credential sees whose set is gone, or cannot be read. */
export const emptyToolset: Toolset = { tools: [], rename: {}, prefix: '', readOnly: true };

/** The named sets of all tenants. */
export class ToolsetDirectory extends TenantDirectory<ToolsetRow, ReadyToolset> {
  /** Throws NETWORK_ERROR. */
  find(tenantId: string, name: string): Toolset | undefined {
    return this.of(tenantId).find((one) => one.name === name)?.set;
  }
}

export function readyToolset(row: ToolsetRow): ReadyToolset {
  return { name: row.name, set: storedToolset.safeParse(row).data ?? emptyToolset };
}
