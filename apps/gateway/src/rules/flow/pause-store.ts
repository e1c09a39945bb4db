import { Injectable } from '@nestjs/common';
import { Refusal, type NewPause } from '#lib/contracts';
import { changeAs, type Database } from '#lib/platform';
import type { TenantMark, TenantRows } from '../../tenants/tenant-directory.js';
import { Stores } from '../../stores.js';

/**
 * Of a tenant, or of the operator.
 * @limit a tenant: pauses; QUOTA_EXCEEDED
 */
const mostPauses = 100;
/** The owner of the pauses that operators make. No tenant has this name. */
export const operator = '';

/** `tenantId` is the owner, as everywhere; `pausedTenant` the one whose calls are paused, null for every one. */
export interface PauseRow {
  readonly tenantId: string;
  readonly name: string;
  readonly pausedTenant: string | null;
  readonly tool: string | null;
  readonly domain: string | null;
  readonly reason: string;
  readonly refuse: boolean;
  readonly revision: bigint;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface PauseKey {
  readonly tenantId: string;
  readonly name: string;
}

/** The pauses of tenants and of the operator in Postgres. Rejects when it is away. */
@Injectable()
export class PauseStore implements TenantRows<PauseRow> {
  constructor(private readonly stores: Stores) {}

  /** By name. */
  async ofTenants(tenants: readonly string[]): Promise<readonly PauseRow[]> {
    if (tenants.length === 0) return [];
    const rows = await this.stores.database.pause.findMany({ where: { owner: { in: [...tenants] } } });
    return rows.map(toRow).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async find({ tenantId: owner, name }: PauseKey): Promise<PauseRow | null> {
    const row = await this.stores.database.pause.findUnique({ where: { owner_name: { owner, name } } });
    return row && toRow(row);
  }

  async marks(): Promise<readonly TenantMark[]> {
    return this.stores.database.$queryRaw`
      SELECT owner AS "tenantId", count(*)::text || '/' || max(revision)::text AS mark FROM pause GROUP BY owner`;
  }

  /** A number for a read that begins afterwards: the read with the highest has seen what is committed before any other got its number. */
  async nextNumber(): Promise<number> {
    const [row] = await this.stores.database.$queryRaw<{ number: number }[]>`
      SELECT nextval(pg_get_serial_sequence('pause', 'revision'))::float8 AS number`;
    if (!row) throw new TypeError('Postgres gave no number');
    return row.number;
  }

  /** Makes one, or puts it in the place of another. Throws QUOTA_EXCEEDED. @returns whether it is new */
  async put(by: string, { tenantId: owner, name }: PauseKey, body: NewPause): Promise<boolean> {
    const { tenant = null, tool = null, domain = null, reason, refuse = false } = body;
    const made = await changeAs(this.stores.database, by, async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`pauses of ${owner}`}))`;
      const known = await transaction.pause.findUnique({ where: { owner_name: { owner, name } }, select: { name: true } });
      if (!known && (await transaction.pause.count({ where: { owner } })) >= mostPauses) return 'full';
      await transaction.$executeRaw`
        INSERT INTO pause (owner, name, tenant_id, tool, domain, reason, refuse)
        VALUES (${owner}, ${name}, ${tenant}, ${tool}, ${domain}, ${reason}, ${refuse})
        ON CONFLICT (owner, name) DO UPDATE SET tenant_id = EXCLUDED.tenant_id, tool = EXCLUDED.tool, domain = EXCLUDED.domain,
          reason = EXCLUDED.reason, refuse = EXCLUDED.refuse, revision = EXCLUDED.revision, updated_at = now()`;
      return known ? 'changed' : 'made';
    });
    if (made === 'full') throw full();
    return made === 'made';
  }

  /** @returns whether there was one */
  async remove(by: string, { tenantId: owner, name }: PauseKey): Promise<boolean> {
    const { count } = await changeAs(this.stores.database, by, async (transaction) =>
      transaction.pause.deleteMany({ where: { owner, name } }),
    );
    return count > 0;
  }
}

type Stored = NonNullable<Awaited<ReturnType<Database['pause']['findFirst']>>>;

function toRow({ owner, tenantId: pausedTenant, ...rest }: Stored): PauseRow {
  return { ...rest, tenantId: owner, pausedTenant };
}

function full(): Refusal {
  const message = `There are ${mostPauses} pauses of yours, the most that there may be; delete one first`;
  return new Refusal('QUOTA_EXCEEDED', message, { extra: { limit: mostPauses } });
}
