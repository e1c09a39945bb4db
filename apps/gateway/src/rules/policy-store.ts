import { Injectable } from '@nestjs/common';
import { Refusal, type NewPolicy } from '#lib/contracts';
import { changeAs, type Database } from '#lib/platform';
import { TenantSpent } from './tenant-spent.js';
import { Stores } from '../stores.js';
import type { TenantMark, TenantRows } from '../tenants/tenant-directory.js';

export type PolicyRow = NonNullable<Awaited<ReturnType<Database['policy']['findFirst']>>>;

/** @limit a tenant: policies; QUOTA_EXCEEDED */
export const mostPolicies = 100;

/** The policies of tenants in Postgres. Rejects when it is away. */
@Injectable()
export class PolicyStore implements TenantRows<PolicyRow> {
  /** What policies may look at. */
  readonly spent: TenantSpent;

  constructor(private readonly stores: Stores) {
    this.spent = new TenantSpent(stores.database);
  }

  /** By name, in the order in which they are looked at. */
  async ofTenants(tenants: readonly string[]): Promise<readonly PolicyRow[]> {
    if (tenants.length === 0) return [];
    const rows = await this.stores.database.policy.findMany({ where: { tenantId: { in: [...tenants] } } });
    // By code unit and not by the collation of a database: every gateway keeps one order.
    return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async find({ tenantId, name }: { readonly tenantId: string; readonly name: string }): Promise<PolicyRow | null> {
    return this.stores.database.policy.findUnique({ where: { tenantId_name: { tenantId, name } } });
  }

  /** The tenants that have policies. Any change gives a tenant another mark. */
  async marks(): Promise<readonly TenantMark[]> {
    return this.stores.database.$queryRaw`
      SELECT tenant_id AS "tenantId", count(*)::text || '/' || max(revision)::text AS mark FROM policy GROUP BY tenant_id`;
  }

  /** Makes one, or puts it in the place of another. Throws QUOTA_EXCEEDED. @returns whether it is new */
  async put(by: string, of: { readonly tenantId: string; readonly name: string }, body: NewPolicy): Promise<boolean> {
    const { tenantId, name } = of;
    const [message, expiresMs, self] = [body.message ?? null, body.expires_ms ?? null, body.self ?? false];
    const made = await changeAs(this.stores.database, by, async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`policies of ${tenantId}`}))`;
      const known = await transaction.policy.findUnique({ where: { tenantId_name: { tenantId, name } }, select: { name: true } });
      if (!known && (await transaction.policy.count({ where: { tenantId } })) >= mostPolicies) return 'full';
      await transaction.$executeRaw`
        INSERT INTO policy (tenant_id, name, "when", "then", message, expires_ms, self)
        VALUES (${tenantId}, ${name}, ${body.when}, ${body.then}, ${message}, ${expiresMs}, ${self})
        ON CONFLICT (tenant_id, name) DO UPDATE SET "when" = EXCLUDED."when", "then" = EXCLUDED."then", message = EXCLUDED.message,
          expires_ms = EXCLUDED.expires_ms, self = EXCLUDED.self, revision = EXCLUDED.revision, updated_at = now()`;
      return known ? 'changed' : 'made';
    });
    if (made === 'full') throw full();
    return made === 'made';
  }

  /** @returns whether there was one */
  async remove(by: string, { tenantId, name }: { readonly tenantId: string; readonly name: string }): Promise<boolean> {
    const { count } = await changeAs(this.stores.database, by, async (transaction) =>
      transaction.policy.deleteMany({ where: { tenantId, name } }),
    );
    return count > 0;
  }
}

function full(): Refusal {
  const message = `Your tenant has ${mostPolicies} policies, the most that it may have; delete one first`;
  return new Refusal('QUOTA_EXCEEDED', message, { extra: { limit: mostPolicies } });
}
