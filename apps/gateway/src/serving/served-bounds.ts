import type { Prisma } from '#lib/platform';

/** @limit own tools: approved versions of tools of a tenant; it is not approved */
const mostVersions = 500;
/** @limit own tools: versions of a key that wait for their approval; the announcement is refused */
const mostPending = 20;

export interface ServedBounds {
  /** Of all approved contracts of a tenant, as JSON. */
  readonly maxBytes: number;
  /** Domains in which a tenant may have approved tools. */
  readonly maxDomains: number;
}

/** One that is to be approved. */
export interface Entering {
  readonly tenantId: string;
  readonly name: string;
  readonly version: string;
  readonly domain: string;
  readonly bytes: number;
}

interface Held {
  readonly versions: number;
  readonly bytes: number;
  readonly domains: readonly string[];
}

/** Why there is no room for it among the tenant's approved versions; null where there is. Only under the lock of the tenant it stays so. */
export async function roomFault(
  transaction: Prisma.TransactionClient,
  { tenantId, name, version, domain, bytes }: Entering,
  { maxBytes, maxDomains }: ServedBounds,
): Promise<string | null> {
  const [held] = await transaction.$queryRaw<Held[]>`
    SELECT count(*)::int AS versions, coalesce(sum(bytes), 0)::float8 AS bytes, coalesce(array_agg(DISTINCT domain), '{}') AS domains
    FROM served_tool WHERE tenant_id = ${tenantId} AND approved_at IS NOT NULL AND NOT (name = ${name} AND version = ${version})`;
  if (!held) return null;
  if (held.versions >= mostVersions) return `your tenant has ${held.versions} versions of tools, and may have ${mostVersions}; remove some`;
  if (held.bytes + bytes > maxBytes)
    return `the contracts of your tenant have ${held.bytes} bytes, and with the ${bytes} of this one more than the ${maxBytes} that they may have; remove versions, or make them shorter`;
  if (!held.domains.includes(domain) && held.domains.length >= maxDomains)
    return `domain: your tenant has tools in ${held.domains.length} domains, and may have them in ${maxDomains}; announce it in one of ${held.domains.slice(0, 20).join(', ')}, or remove the tools of one`;
  return null;
}

/** Why one more version of a key cannot wait for an approval; null where it can. Only under the lock of the tenant it stays so. */
export async function pendingFault(
  transaction: Prisma.TransactionClient,
  { tenantId, name, version }: Pick<Entering, 'tenantId' | 'name' | 'version'>,
  keyId: string,
): Promise<string | null> {
  const where = { tenantId, announcedBy: keyId, approvedAt: null, NOT: { name, version } };
  if ((await transaction.servedTool.count({ where })) < mostPending) return null;
  return `${mostPending} versions that this key announced wait for an administrator, the most that may; have some approved or removed first`;
}

/** From now on until its end, no other transaction changes what this tenant serves. */
export async function lockTenant(transaction: Prisma.TransactionClient, tenantId: string): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('served_tool'), hashtext(${tenantId}))`;
}
