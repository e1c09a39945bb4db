import { fingerprint } from '#lib/contracts';
import { changeAs, type AuditedDatabase, type Database, type Prisma } from '#lib/platform';
import { stored } from '../http/stored.js';
import { lockTenant } from './served-bounds.js';

export const unreachable = 'The store of served tools cannot be reached at the moment';

export type ServedRow = Awaited<ReturnType<Database['servedTool']['findMany']>>[number];

/** A version of a tool, in the names of its table. */
export interface ServedVersion {
  readonly tenantId: string;
  readonly name: string;
  readonly version: string;
}

/** These alone of something that has more. */
export function versionOf({ tenantId, name, version }: ServedVersion): ServedVersion {
  return { tenantId, name, version };
}

/** Of the contract as it was announced. An older gateway writes none. */
export function fingerprintOf({ fingerprint: known, contract }: Pick<ServedRow, 'fingerprint' | 'contract'>): string {
  return known ?? fingerprint(contract);
}

/** Why a tool cannot be of a domain: a version of it is approved in another. @param approved all approved versions of the tool */
export function elsewhereFault(
  { name, domain }: Pick<ServedRow, 'name' | 'domain'>,
  approved: readonly Pick<ServedRow, 'domain'>[],
): string | null {
  const other = approved.find((row) => row.domain !== domain);
  return other ? `name: '${name}' belongs to the domain '${other.domain}'; announce it there, or choose another name` : null;
}

interface Changer {
  readonly tenantId: string;
  /** Who changes it, for the audit. */
  readonly principal: string;
}

/** Changes what a tenant serves, with nobody else doing so. Throws NETWORK_ERROR. */
export async function changeServed<T>(
  database: AuditedDatabase<'servedTool'>,
  { tenantId, principal }: Changer,
  change: (transaction: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  return stored(unreachable, () =>
    changeAs(database, principal, async (transaction) => {
      await lockTenant(transaction, tenantId);
      return change(transaction);
    }),
  );
}
