import { Injectable } from '@nestjs/common';
import { Refusal, type NewFlow } from '#lib/contracts';
import { changeAs, type Database } from '#lib/platform';
import type { TenantMark, TenantRows } from '../../tenants/tenant-directory.js';
import { Stores } from '../../stores.js';

/**
 * Of a tenant, or of the operator.
 * @limit a tenant: flows; QUOTA_EXCEEDED
 */
const mostFlows = 100;

/** `tenantId` is the owner, as everywhere: `operator` for the calls of all tenants. */
export interface FlowRow {
  readonly tenantId: string;
  readonly name: string;
  readonly tool: string | null;
  readonly domain: string | null;
  readonly key: string | null;
  readonly concurrency: number | null;
  readonly rateMax: number | null;
  readonly ratePerMs: number | null;
  readonly revision: bigint;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface FlowKey {
  readonly tenantId: string;
  readonly name: string;
}

/** The flows of tenants and of the operator in Postgres. Rejects when it is away. */
@Injectable()
export class FlowStore implements TenantRows<FlowRow> {
  constructor(private readonly stores: Stores) {}

  /** By name. */
  async ofTenants(tenants: readonly string[]): Promise<readonly FlowRow[]> {
    if (tenants.length === 0) return [];
    const rows = await this.stores.database.flow.findMany({ where: { owner: { in: [...tenants] } } });
    return rows.map(toRow).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async find({ tenantId: owner, name }: FlowKey): Promise<FlowRow | null> {
    const row = await this.stores.database.flow.findUnique({ where: { owner_name: { owner, name } } });
    return row && toRow(row);
  }

  async marks(): Promise<readonly TenantMark[]> {
    return this.stores.database.$queryRaw`
      SELECT owner AS "tenantId", count(*)::text || '/' || max(revision)::text AS mark FROM flow GROUP BY owner`;
  }

  /** A number for a read that begins afterwards, higher than the revision of every flow that the read can miss. */
  async nextNumber(): Promise<number> {
    const [row] = await this.stores.database.$queryRaw<{ number: number }[]>`
      SELECT nextval(pg_get_serial_sequence('flow', 'revision'))::float8 AS number`;
    if (!row) throw new TypeError('Postgres gave no number');
    return row.number;
  }

  /** Makes one, or puts it in the place of another. Throws QUOTA_EXCEEDED. @returns whether it is new */
  async put(by: string, { tenantId: owner, name }: FlowKey, body: NewFlow): Promise<boolean> {
    const { tool = null, domain = null, key = null, concurrency = null, rate } = body;
    const [max, perMs] = [rate?.max ?? null, rate?.per_ms ?? null];
    const made = await changeAs(this.stores.database, by, async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`flows of ${owner}`}))`;
      const known = await transaction.flow.findUnique({ where: { owner_name: { owner, name } }, select: { name: true } });
      if (!known && (await transaction.flow.count({ where: { owner } })) >= mostFlows) return 'full';
      await transaction.$executeRaw`
        INSERT INTO flow (owner, name, tenant_id, tool, domain, key, concurrency, rate_max, rate_per_ms)
        VALUES (${owner}, ${name}, NULLIF(${owner}, ''), ${tool}, ${domain}, ${key}, ${concurrency}, ${max}, ${perMs})
        ON CONFLICT (owner, name) DO UPDATE SET tool = EXCLUDED.tool, domain = EXCLUDED.domain, key = EXCLUDED.key,
          concurrency = EXCLUDED.concurrency, rate_max = EXCLUDED.rate_max, rate_per_ms = EXCLUDED.rate_per_ms,
          revision = EXCLUDED.revision, updated_at = now()`;
      return known ? 'changed' : 'made';
    });
    if (made === 'full') throw full();
    return made === 'made';
  }

  /** @returns whether there was one */
  async remove(by: string, { tenantId: owner, name }: FlowKey): Promise<boolean> {
    const { count } = await changeAs(this.stores.database, by, async (transaction) =>
      transaction.flow.deleteMany({ where: { owner, name } }),
    );
    return count > 0;
  }
}

type Stored = NonNullable<Awaited<ReturnType<Database['flow']['findFirst']>>>;

function toRow(row: Stored): FlowRow {
  return { ...row, tenantId: row.owner };
}

function full(): Refusal {
  const message = `There are ${mostFlows} flows of yours, the most that there may be; delete one first`;
  return new Refusal('QUOTA_EXCEEDED', message, { extra: { limit: mostFlows } });
}
