import { Injectable } from '@nestjs/common';
import { Refusal, type NewBudget } from '#lib/contracts';
import { changeAs, type Database } from '#lib/platform';
import { spentInHistory, type Period } from '#lib/transport';
import { Stores } from '../../stores.js';
import type { TenantMark, TenantRows } from '../../tenants/tenant-directory.js';

export type BudgetRow = NonNullable<Awaited<ReturnType<Database['budget']['findFirst']>>>;

/** @limit a tenant: budgets; QUOTA_EXCEEDED */
export const mostBudgets = 100;
const defaultWarnAt = 0.8;

/** The budgets of tenants in Postgres. Rejects when it is away. */
@Injectable()
export class BudgetStore implements TenantRows<BudgetRow> {
  constructor(private readonly stores: Stores) {}

  /** By name. */
  async ofTenants(tenants: readonly string[]): Promise<readonly BudgetRow[]> {
    if (tenants.length === 0) return [];
    const rows = await this.stores.database.budget.findMany({ where: { tenantId: { in: [...tenants] } } });
    return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async find({ tenantId, name }: { readonly tenantId: string; readonly name: string }): Promise<BudgetRow | null> {
    return this.stores.database.budget.findUnique({ where: { tenantId_name: { tenantId, name } } });
  }

  async marks(): Promise<readonly TenantMark[]> {
    return this.stores.database.$queryRaw`
      SELECT tenant_id AS "tenantId", count(*)::text || '/' || max(revision)::text AS mark FROM budget GROUP BY tenant_id`;
  }

  /**
   * Makes one, or puts it in the place of another: with another limit it goes on counting, with other calls or another period it begins anew.
   * Throws QUOTA_EXCEEDED. @returns whether it is new
   */
  async put(by: string, of: { readonly tenantId: string; readonly name: string }, body: NewBudget): Promise<boolean> {
    const { tenantId, name } = of;
    const { user = null, key = null, tool = null, period, time_zone: zone = 'UTC' } = body;
    const { limit_micros: micros = null, limit_calls: calls = null, warn_at: warnAt = defaultWarnAt } = body;
    const made = await changeAs(this.stores.database, by, async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`budgets of ${tenantId}`}))`;
      const known = await transaction.budget.findUnique({ where: { tenantId_name: { tenantId, name } }, select: { name: true } });
      if (!known && (await transaction.budget.count({ where: { tenantId } })) >= mostBudgets) return 'full';
      await transaction.$executeRaw`
        INSERT INTO budget AS b (tenant_id, name, user_id, key, tool, period, time_zone, limit_micros, limit_calls, warn_at)
        VALUES (${tenantId}, ${name}, ${user}, ${key}, ${tool}, ${period}, ${zone}, ${micros}, ${calls}, ${warnAt})
        ON CONFLICT (tenant_id, name) DO UPDATE SET user_id = EXCLUDED.user_id, key = EXCLUDED.key, tool = EXCLUDED.tool,
          period = EXCLUDED.period, time_zone = EXCLUDED.time_zone, limit_micros = EXCLUDED.limit_micros, limit_calls = EXCLUDED.limit_calls,
          warn_at = EXCLUDED.warn_at, revision = EXCLUDED.revision, updated_at = now(),
          counter = CASE WHEN (b.user_id, b.key, b.tool, b.period, b.time_zone)
            IS DISTINCT FROM (EXCLUDED.user_id, EXCLUDED.key, EXCLUDED.tool, EXCLUDED.period, EXCLUDED.time_zone)
            THEN EXCLUDED.counter ELSE b.counter END`;
      return known ? 'changed' : 'made';
    });
    if (made === 'full') throw full();
    return made === 'made';
  }

  /** @returns whether there was one */
  async remove(by: string, { tenantId, name }: { readonly tenantId: string; readonly name: string }): Promise<boolean> {
    const { count } = await changeAs(this.stores.database, by, async (transaction) =>
      transaction.budget.deleteMany({ where: { tenantId, name } }),
    );
    return count > 0;
  }

  /** What the history has of the calls of a budget that were accepted in a period, and ran. */
  async spentBefore(row: BudgetRow, period: Period): Promise<{ readonly micros: number; readonly calls: number }> {
    return spentInHistory(this.stores.database, row, period);
  }
}

function full(): Refusal {
  const message = `Your tenant has ${mostBudgets} budgets, the most that it may have; delete one first`;
  return new Refusal('QUOTA_EXCEEDED', message, { extra: { limit: mostBudgets } });
}
