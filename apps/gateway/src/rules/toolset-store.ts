import { Injectable } from '@nestjs/common';
import { Refusal, type NewToolset } from '#lib/contracts';
import { changeAs, type Database } from '#lib/platform';
import { Stores } from '../stores.js';
import type { TenantMark, TenantRows } from '../tenants/tenant-directory.js';

export type ToolsetRow = NonNullable<Awaited<ReturnType<Database['toolset']['findFirst']>>>;

/** @limit a tenant: sets of tools; QUOTA_EXCEEDED */
export const mostToolsets = 100;
const shownKeys = 3;

interface ToolsetName {
  readonly tenantId: string;
  readonly name: string;
}

/** The named sets of tenants in Postgres. Rejects when it is away. */
@Injectable()
export class ToolsetStore implements TenantRows<ToolsetRow> {
  constructor(private readonly stores: Stores) {}

  /** By name. */
  async ofTenants(tenants: readonly string[]): Promise<readonly ToolsetRow[]> {
    if (tenants.length === 0) return [];
    const rows = await this.stores.database.toolset.findMany({ where: { tenantId: { in: [...tenants] } } });
    return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async find({ tenantId, name }: ToolsetName): Promise<ToolsetRow | null> {
    return this.stores.database.toolset.findUnique({ where: { tenantId_name: { tenantId, name } } });
  }

  async marks(): Promise<readonly TenantMark[]> {
    return this.stores.database.$queryRaw`
      SELECT tenant_id AS "tenantId", count(*)::text || '/' || max(revision)::text AS mark FROM toolset GROUP BY tenant_id`;
  }

  /** Makes one, or puts it in the place of another. Throws QUOTA_EXCEEDED. @returns whether it is new */
  async put(by: string, of: ToolsetName, body: NewToolset): Promise<boolean> {
    const { tenantId, name } = of;
    const { tools, rename = {}, prefix = '', read_only: readOnly = false } = body;
    const made = await changeAs(this.stores.database, by, async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`toolsets of ${tenantId}`}))`;
      const known = await transaction.toolset.findUnique({ where: { tenantId_name: { tenantId, name } }, select: { name: true } });
      if (!known && (await transaction.toolset.count({ where: { tenantId } })) >= mostToolsets) return 'full';
      await transaction.$executeRaw`
        INSERT INTO toolset (tenant_id, name, tools, rename, prefix, read_only)
        VALUES (${tenantId}, ${name}, ${tools}, ${JSON.stringify(rename)}::jsonb, ${prefix}, ${readOnly})
        ON CONFLICT (tenant_id, name) DO UPDATE SET tools = EXCLUDED.tools, rename = EXCLUDED.rename, prefix = EXCLUDED.prefix,
          read_only = EXCLUDED.read_only, revision = EXCLUDED.revision, updated_at = now()`;
      return known ? 'changed' : 'made';
    });
    if (made === 'full') throw full();
    return made === 'made';
  }

  /** Throws CONFLICT while keys name it: they would see nothing. @returns whether there was one */
  async remove(by: string, { tenantId, name }: ToolsetName): Promise<boolean> {
    const live = { tenantId, toolset: name, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] };
    const bound = await this.stores.database.apiKey.findMany({ where: live, select: { id: true }, take: shownKeys });
    if (bound.length > 0) throw inUse(bound.map(({ id }) => id));
    const { count } = await changeAs(this.stores.database, by, async (transaction) =>
      transaction.toolset.deleteMany({ where: { tenantId, name } }),
    );
    return count > 0;
  }
}

function inUse(keys: readonly string[]): Refusal {
  return new Refusal('CONFLICT', `Keys see this set alone, such as ${keys.join(', ')}: revoke them first`, { extra: { keys } });
}

function full(): Refusal {
  const message = `Your tenant has ${mostToolsets} sets, the most that it may have; delete one first`;
  return new Refusal('QUOTA_EXCEEDED', message, { extra: { limit: mostToolsets } });
}
