import { modelRows, type AuditedDatabase, type Database } from '#lib/platform';
import { roomFault, type ServedBounds } from './served-bounds.js';
import { substanceIn } from './served-removals.js';
import { changeServed, elsewhereFault, fingerprintOf, versionOf, type ServedRow, type ServedVersion } from './served-row.js';

/** What waits for an approval is forgotten when nobody has announced it for so long. */
const pendingMs = 7 * 86_400_000;

/** What became of an approval: the version as it is now, or why it cannot be. */
export type Approval =
  | { readonly kind: 'none' }
  | { readonly kind: 'row'; readonly row: ServedRow }
  | { readonly kind: 'refused'; readonly reason: string };

export interface Removed extends ServedVersion {
  readonly removedAt: Date;
}

/** The tools that tenants serve, as they were announced and approved, in Postgres. */
export class ServedTools {
  /** @param now epoch ms, the same for all processes */
  constructor(
    private readonly database: AuditedDatabase<'servedTool'> & Pick<Database, 'servedRemoval' | '$queryRaw'>,
    private readonly bounds: ServedBounds,
    private readonly now: () => number,
  ) {}

  async all(tenantId?: string): Promise<readonly ServedRow[]> {
    return this.database.servedTool.findMany({
      where: tenantId === undefined ? {} : { tenantId },
      orderBy: [{ announcedAt: 'desc' }, { name: 'asc' }],
      take: 1_000,
    });
  }

  /** The approved versions, without their contracts, that were announced or approved after a time; without one all of them. */
  async changedSince(since: Date | null): Promise<readonly Omit<ServedRow, 'contract'>[]> {
    return modelRows<Omit<ServedRow, 'contract'>>(
      this.database.$queryRaw`
      SELECT tenant_id, name, version, domain, fingerprint, digest, warnings, bytes, announced_by, announced_at, approved_by, approved_at
      FROM served_tool
      WHERE approved_at IS NOT NULL AND (${since}::timestamptz IS NULL OR announced_at > ${since} OR approved_at > ${since})`,
      { warnings: [] },
    );
  }

  /** The versions that were removed after a time. Approving one again takes its removal away. */
  async removedSince(since: Date): Promise<readonly Removed[]> {
    return this.database.$queryRaw`
      SELECT tenant_id AS "tenantId", name, version, removed_at AS "removedAt" FROM served_removal WHERE removed_at > ${since}`;
  }

  async approvedCount(): Promise<number> {
    const [found] = await this.database.$queryRaw<{ readonly count: number }[]>`
      SELECT count(*)::int AS count FROM served_tool WHERE approved_at IS NOT NULL`;
    return found?.count ?? 0;
  }

  /** The approved ones of these. */
  async contractsOf(versions: readonly ServedVersion[]): Promise<readonly ServedRow[]> {
    const [tenants, names, numbers] = [
      versions.map((one) => one.tenantId),
      versions.map((one) => one.name),
      versions.map((one) => one.version),
    ];
    return modelRows<ServedRow>(
      this.database.$queryRaw`
      SELECT served_tool.* FROM served_tool
      JOIN unnest(${tenants}::text[], ${names}::text[], ${numbers}::text[]) AS wanted(tenant_id, name, version)
        USING (tenant_id, name, version)
      WHERE approved_at IS NOT NULL`,
      { warnings: [] },
    );
  }

  /** Approves a version as the administrator has seen it, also one that was removed before. */
  async approve(approved: ServedVersion & { readonly fingerprint: string }, approvedBy: string): Promise<Approval> {
    const where = versionOf(approved);
    const changer = { tenantId: where.tenantId, principal: approvedBy };
    return changeServed(this.database, changer, async (transaction): Promise<Approval> => {
      const row = await transaction.servedTool.findFirst({ where });
      if (!row) return { kind: 'none' };
      if (row.approvedAt || fingerprintOf(row) !== approved.fingerprint) return { kind: 'row', row };
      const ofTool = { tenantId: row.tenantId, name: row.name, approvedAt: { not: null } };
      const others = await transaction.servedTool.findMany({ where: ofTool, omit: { contract: true } });
      const fault = elsewhereFault(row, others) ?? (await roomFault(transaction, row, this.bounds));
      if (fault !== null) return { kind: 'refused', reason: fault };
      const { tenantId, name, version } = where;
      const substance = substanceIn(row.contract);
      await transaction.servedRemoval.deleteMany({ where: { tenantId, name, OR: [{ version }, { substance }] } });
      const data = { approvedBy, approvedAt: new Date(this.now()) };
      return { kind: 'row', row: await transaction.servedTool.update({ where: { tenantId_name_version: where }, data }) };
    });
  }

  /** Removes a version. Announced again, it waits for a person. @returns what it was, or null where there was none */
  async remove(version: ServedVersion, removedBy: string): Promise<ServedRow | null> {
    const where = versionOf(version);
    return changeServed(this.database, { tenantId: where.tenantId, principal: removedBy }, async (transaction) => {
      const row = await transaction.servedTool.findFirst({ where });
      if (!row) return null;
      const data = { substance: substanceIn(row.contract), removedBy, removedAt: new Date(this.now()) };
      await transaction.servedRemoval.upsert({ where: { tenantId_name_version: where }, create: { ...where, ...data }, update: data });
      await transaction.servedTool.deleteMany({ where });
      return row;
    });
  }

  /** Forgets what has waited too long for its approval. */
  async forgetPending(): Promise<void> {
    const announcedAt = { lt: new Date(this.now() - pendingMs) };
    await this.database.servedTool.deleteMany({ where: { approvedAt: null, announcedAt } });
  }
}
