import type { Prisma } from '#lib/platform';
import type { AnnouncedContract } from './announced-contract.js';
import type { CheckedContract } from './contract-check.js';
import { pendingFault, roomFault, type ServedBounds } from './served-bounds.js';
import { removalOf } from './served-removals.js';
import { elsewhereFault, fingerprintOf, type ServedRow } from './served-row.js';
import type { Announcer, Judged, Verdict } from './verdict.js';

interface ToKeep {
  readonly announced: AnnouncedContract;
  readonly checked: Extract<CheckedContract, { kind: 'fit' }>;
  /** Of the approved versions that it was checked against. */
  readonly basis: string;
  readonly bounds: ServedBounds;
  /** Epoch ms. */
  readonly now: number;
}

/** By which it is known again what a version was checked against. */
export function basisOf(rows: readonly Pick<ServedRow, 'version' | 'fingerprint' | 'announcedAt'>[]): string {
  return rows
    .map((row) => `${row.version} ${row.fingerprint} ${row.announcedAt.getTime()}`)
    .toSorted()
    .join(' ');
}

/**
 * Keeps a version that was found fit, as approved or as waiting for a person, unless what the tenant has speaks against it. Only under the
 * lock of the tenant.
 * @returns null where the approved versions are others than those that it was checked against
 */
export async function keepAnnounced(
  transaction: Prisma.TransactionClient,
  announcer: Announcer,
  { announced, checked, basis, bounds, now }: ToKeep,
): Promise<Judged | null> {
  const { place, keyId, approves } = announcer;
  const { name, version } = checked.tool;
  const key = { tenantId: place.tenant, name, version };
  const rows = await transaction.servedTool.findMany({ where: { tenantId: place.tenant, name }, omit: { contract: true } });
  const approved = rows.filter(({ approvedAt }) => approvedAt !== null);
  if (basisOf(approved) !== basis) return null;
  const before = rows.find((row) => row.version === version);
  const verdict = (state: Verdict['state'], reason?: string | null): Judged => {
    const print = state === 'refused' ? '' : checked.fingerprint;
    return { name, version, state, ...(reason && { reason }), warnings: checked.warnings, fingerprint: print };
  };
  const elsewhere = elsewhereFault({ name, domain: place.domain }, approved);
  if (elsewhere !== null) return verdict('refused', elsewhere);
  const wasApproved = before !== undefined && before.approvedAt !== null;
  if (wasApproved && (await printIn(transaction, before)) === checked.fingerprint) {
    // What an older gateway kept is known from now on without a look at it.
    const data = { fingerprint: checked.fingerprint, digest: announced.digest, warnings: [...checked.warnings] };
    if (before.fingerprint === null) await transaction.servedTool.update({ where: { tenantId_name_version: key }, data });
    return verdict('approved');
  }
  if (wasApproved && !approves)
    return verdict('refused', `${name} ${version} differs from what was approved, in more than its form: give it a new version`);

  const removal = wasApproved ? null : await removalOf(transaction, { ...key, substance: checked.substance });
  const inherits = !before && checked.unseen !== null ? approved.find((row) => row.version === checked.continues) : undefined;
  const approvedBy = removal !== null ? null : approves ? `key:${keyId}` : (inherits?.approvedBy ?? null);
  const tool = approves || approvedBy === null ? checked.tool : (checked.unseen ?? checked.tool);
  const text = JSON.stringify(tool);
  const bytes = Math.max(Buffer.byteLength(text), checked.publishedBytes);
  const fault =
    approvedBy === null
      ? await pendingFault(transaction, key, keyId)
      : await roomFault(transaction, { ...key, domain: place.domain, bytes }, bounds);
  if (fault !== null) return verdict('refused', fault);
  const announcedAt = new Date(now);
  const data = {
    domain: place.domain,
    contract: plain(text),
    fingerprint: checked.fingerprint,
    digest: announced.digest,
    bytes,
    warnings: [...checked.warnings],
    announcedBy: keyId,
    announcedAt,
    approvedBy,
    approvedAt: approvedBy === null ? null : announcedAt,
  };
  await transaction.servedTool.upsert({ where: { tenantId_name_version: key }, create: { ...key, ...data }, update: data });
  return approvedBy === null ? verdict('pending', removal ?? widenedText(checked)) : verdict('approved');
}

async function printIn(transaction: Prisma.TransactionClient, row: Omit<ServedRow, 'contract'>): Promise<string> {
  if (row.fingerprint !== null) return row.fingerprint;
  const { tenantId, name, version } = row;
  return fingerprintOf(await transaction.servedTool.findUniqueOrThrow({ where: { tenantId_name_version: { tenantId, name, version } } }));
}

function widenedText({ continues, widened }: ToKeep['checked']): string | null {
  if (continues === null || widened.length === 0) return null;
  return `${widened.join(', ')}: not as in ${continues}, which is approved; an administrator has to look at it`;
}

/** As the database gives it back. */
function plain(text: string): object {
  const parsed: object = JSON.parse(text);
  return parsed;
}
