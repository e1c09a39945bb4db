import { compareVersions, fingerprint, type Catalog, type ServedPlace } from '#lib/contracts';
import { changeAs, type AuditedDatabase, type Database, type Prisma } from '#lib/platform';
import { sharedClock } from '#lib/transport';
import { stored } from '../http/stored.js';
import { announcedContract, type AnnouncedContract } from './announced-contract.js';
import { priceOf, type AnnouncementBudget } from './announcement-budget.js';
import type { CheckedContract } from './contract-check.js';
import type { Check, ContractChecks } from './contract-checks.js';
import { lockTenant, mostPending, roomFault, type ServedBounds } from './served-bounds.js';
import { removalOf, substanceIn } from './served-removals.js';

const dayMs = 86_400_000;
/** What waits for an approval is forgotten when nobody has announced it for so long. */
const pendingMs = 7 * dayMs;
/** How often an announcement is checked again because the tenant's versions have changed meanwhile. */
const mostTries = 5;
const unreachable = 'The store of served tools cannot be reached at the moment';

/** What became of one tool that a worker announced. */
export interface Verdict {
  readonly name: string;
  readonly version: string;
  /** `pending`: an administrator has to approve it first. */
  readonly state: 'approved' | 'pending' | 'refused';
  /** Why it was refused, or has to be approved. */
  readonly reason?: string;
  /** What makes it hard to use for a model. */
  readonly warnings: readonly string[];
}

/** A verdict, with the fingerprint of what was announced; it is empty for one that is refused. */
export interface Judged extends Verdict {
  readonly fingerprint: string;
}

/** Who announces. */
export interface Announcer {
  readonly place: ServedPlace;
  /** The public id of its key. */
  readonly keyId: string;
  /** Whether the key lets what it announces be called. */
  readonly approves: boolean;
}

export type ServedRow = Awaited<ReturnType<Database['servedTool']['findMany']>>[number];

/** A version of a tool, in the names of its table. */
export interface ServedVersion {
  readonly tenantId: string;
  readonly name: string;
  readonly version: string;
}

/** What became of an approval: the version as it is now, or why it cannot be. */
export type Approval =
  | { readonly kind: 'none' }
  | { readonly kind: 'row'; readonly row: ServedRow }
  | { readonly kind: 'refused'; readonly reason: string };

interface ServedToolsParts {
  readonly database: AuditedDatabase<'servedTool'>;
  /** Whose own names no tenant may take. */
  readonly catalog: Catalog;
  readonly checks: Pick<ContractChecks, 'inTurn'>;
  readonly budget: AnnouncementBudget;
  readonly bounds: ServedBounds;
  /** Versions below 1.0.0 may change under the same number, by keys that approve what they announce. */
  readonly isDevelopment: boolean;
}

/** The tools that tenants serve, as they were announced and approved, in Postgres. */
export class ServedTools {
  readonly #parts: ServedToolsParts;

  constructor(parts: ServedToolsParts) {
    this.#parts = parts;
  }

  /**
   * Checks and keeps what a worker announced. Announcing the same again changes nothing, and is only compared. Throws RATE_LIMITED where the
   * tenant has announced too much, and NETWORK_ERROR.
   * @param tools as they were received
   */
  async announce(announcer: Announcer, tools: readonly unknown[]): Promise<readonly Judged[]> {
    const { budget, checks } = this.#parts;
    const { tenant, domain } = announcer.place;
    budget.require(tenant);
    const announced = tools.map((tool) => announcedContract(domain, tool));
    const known = await this.#known(announcer, announced);
    const changed = announced.filter((one) => !known.has(one));
    budget.spend(tenant, priceOf(changed, [...known.keys()]));
    if (changed.length === 0) return announced.flatMap((one) => known.get(one) ?? []);
    const onSpent = (ms: number): void => budget.charge(tenant, ms);
    return checks.inTurn(tenant, onSpent, async (check) => {
      // Another worker of the same program may have announced it while this one waited.
      const meanwhile = await this.#known(announcer, announced);
      const judged: Judged[] = [];
      // One after the other: two versions of one tool in one announcement are compared with each other.
      for (const one of announced) judged.push(meanwhile.get(one) ?? (await this.#judge(announcer, one, check)));
      return judged;
    });
  }

  async all(tenantId?: string): Promise<readonly ServedRow[]> {
    return this.#parts.database.servedTool.findMany({
      where: tenantId === undefined ? {} : { tenantId },
      orderBy: [{ announcedAt: 'desc' }, { name: 'asc' }],
      take: 1_000,
    });
  }

  /** The approved versions, without their contracts, that were announced or approved after a time; without one all of them. */
  async changedSince(since: Date | null): Promise<readonly Omit<ServedRow, 'contract'>[]> {
    const isLater = since && { OR: [{ announcedAt: { gt: since } }, { approvedAt: { gt: since } }] };
    const where = { approvedAt: { not: null }, ...isLater };
    return this.#parts.database.servedTool.findMany({ where, omit: { contract: true } });
  }

  async approvedCount(): Promise<number> {
    return this.#parts.database.servedTool.count({ where: { approvedAt: { not: null } } });
  }

  /** The approved ones of these. */
  async contractsOf(versions: readonly ServedVersion[]): Promise<readonly ServedRow[]> {
    const where = { approvedAt: { not: null }, OR: versions.map(versionOf) };
    return this.#parts.database.servedTool.findMany({ where });
  }

  /** Approves a version as the administrator has seen it, also one that was removed before. */
  async approve(approved: ServedVersion & { readonly fingerprint: string }, approvedBy: string): Promise<Approval> {
    const where = versionOf(approved);
    return this.#change(approved.tenantId, approvedBy, async (transaction): Promise<Approval> => {
      const row = await transaction.servedTool.findFirst({ where });
      if (!row) return { kind: 'none' };
      if (row.approvedAt || fingerprintOf(row) !== approved.fingerprint) return { kind: 'row', row };
      const fault = (await elsewhereFault(transaction, row)) ?? (await roomFault(transaction, row, this.#parts.bounds));
      if (fault !== null) return { kind: 'refused', reason: fault };
      const { tenantId, name, version } = where;
      const substance = substanceIn(row.contract);
      await transaction.servedRemoval.deleteMany({ where: { tenantId, name, OR: [{ version }, { substance }] } });
      const data = { approvedBy, approvedAt: new Date(sharedClock.now()) };
      return { kind: 'row', row: await transaction.servedTool.update({ where: { tenantId_name_version: where }, data }) };
    });
  }

  /** Removes a version. Announced again, it waits for a person. @returns what it was, or null where there was none */
  async remove(version: ServedVersion, removedBy: string): Promise<ServedRow | null> {
    const where = versionOf(version);
    return this.#change(version.tenantId, removedBy, async (transaction) => {
      const row = await transaction.servedTool.findFirst({ where });
      if (!row) return null;
      const data = { substance: substanceIn(row.contract), removedBy, removedAt: new Date(sharedClock.now()) };
      await transaction.servedRemoval.upsert({ where: { tenantId_name_version: where }, create: { ...where, ...data }, update: data });
      await transaction.servedTool.deleteMany({ where });
      return row;
    });
  }

  /** Forgets what has waited too long for its approval. */
  async forgetPending(): Promise<void> {
    const announcedAt = { lt: new Date(sharedClock.now() - pendingMs) };
    await this.#parts.database.servedTool.deleteMany({ where: { approvedAt: null, announcedAt } });
  }

  /** Those that are kept just as they were announced, with what became of them. */
  async #known({ place, approves }: Announcer, announced: readonly AnnouncedContract[]): Promise<Map<AnnouncedContract, Judged>> {
    const { database, catalog } = this.#parts;
    const names = [...new Set(announced.map(({ name }) => name))];
    const rows = await stored(unreachable, () =>
      database.servedTool.findMany({ where: { tenantId: place.tenant, name: { in: names } }, omit: { contract: true } }),
    );
    const isFresh = (row: (typeof rows)[number]): boolean =>
      row.approvedAt !== null || (!approves && row.announcedAt.getTime() > sharedClock.now() - dayMs);
    return new Map(
      announced.flatMap((one): [AnnouncedContract, Judged][] => {
        const row = rows.find(({ name, version }) => name === one.name && version === one.version);
        if (row?.digest !== one.digest || row.fingerprint === null || !isFresh(row) || isOurs(catalog, row.name)) return [];
        const { name, version, warnings, fingerprint: print } = row;
        return [[one, { name, version, state: row.approvedAt ? 'approved' : 'pending', warnings, fingerprint: print }]];
      }),
    );
  }

  async #judge(announcer: Announcer, announced: AnnouncedContract, check: Check): Promise<Judged> {
    const { place, approves } = announcer;
    const { name, version, text, sizeFault } = announced;
    const refused = (reason: string): Judged => ({ name, version, state: 'refused', reason, warnings: [], fingerprint: '' });
    if (sizeFault !== null) return refused(sizeFault);
    if (isOurs(this.#parts.catalog, name)) return refused(`name: '${name}' is a tool of Invoq; choose another name`);
    const isDraft = this.#parts.isDevelopment && approves && version.startsWith('0.');
    for (let tries = 0; tries < mostTries; tries++) {
      const approved = await this.#approved({ tenantId: place.tenant, name, version });
      const checked = await check({ place, text, approved: approved.texts, isDraft });
      if (checked.kind === 'refused') return refused(checked.reason);
      const judged = await this.#change(place.tenant, `key:${announcer.keyId}`, async (transaction) =>
        this.#keep(transaction, announcer, { announced, checked, basis: approved.basis }),
      );
      if (judged) return judged;
    }
    return refused('it was changed by others again and again while it was checked; announce it again');
  }

  /** What a version is compared with, and by what it is known again: the same, the one before it, and the latest of its major number. */
  async #approved({ tenantId, name, version }: ServedVersion): Promise<{ readonly texts: readonly string[]; readonly basis: string }> {
    const { servedTool } = this.#parts.database;
    return stored(unreachable, async () => {
      const rows = await servedTool.findMany({ where: { tenantId, name, approvedAt: { not: null } }, omit: { contract: true } });
      const versions = rows.map((row) => row.version).toSorted(compareVersions);
      const major = version.split('.', 1)[0];
      const compared = [
        versions.find((one) => one === version),
        versions.findLast((one) => compareVersions(one, version) < 0),
        versions.findLast((one) => one.split('.', 1)[0] === major),
      ];
      const wanted = [...new Set(compared.filter((one) => one !== undefined))];
      const full = wanted.length === 0 ? [] : await servedTool.findMany({ where: { tenantId, name, version: { in: wanted } } });
      return { texts: full.map(({ contract }) => JSON.stringify(contract)), basis: basisOf(rows) };
    });
  }

  /** @returns null where the approved versions are others than those that it was checked against */
  async #keep(transaction: Prisma.TransactionClient, announcer: Announcer, { announced, checked, basis }: ToKeep): Promise<Judged | null> {
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
    const elsewhere = approved.find(({ domain }) => domain !== place.domain);
    if (elsewhere) return verdict('refused', elsewhereText(name, elsewhere.domain));
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
        ? await this.#pendingFault(transaction, key, keyId)
        : await roomFault(transaction, { ...key, domain: place.domain, bytes }, this.#parts.bounds);
    if (fault !== null) return verdict('refused', fault);
    const now = new Date(sharedClock.now());
    const data = {
      domain: place.domain,
      contract: plain(text),
      fingerprint: checked.fingerprint,
      digest: announced.digest,
      bytes,
      warnings: [...checked.warnings],
      announcedBy: keyId,
      announcedAt: now,
      approvedBy,
      approvedAt: approvedBy === null ? null : now,
    };
    await transaction.servedTool.upsert({ where: { tenantId_name_version: key }, create: { ...key, ...data }, update: data });
    return approvedBy === null ? verdict('pending', removal ?? widenedText(checked)) : verdict('approved');
  }

  async #pendingFault(
    transaction: Prisma.TransactionClient,
    { tenantId, name, version }: ServedVersion,
    keyId: string,
  ): Promise<string | null> {
    const where = { tenantId, announcedBy: keyId, approvedAt: null, NOT: { name, version } };
    if ((await transaction.servedTool.count({ where })) < mostPending) return null;
    return `${mostPending} versions that this key announced wait for an administrator, the most that may; have some approved or removed first`;
  }

  /** Changes what a tenant serves, with nobody else doing so. */
  async #change<T>(tenantId: string, principal: string, change: (transaction: Prisma.TransactionClient) => Promise<T>): Promise<T> {
    return stored(unreachable, () =>
      changeAs(this.#parts.database, principal, async (transaction) => {
        await lockTenant(transaction, tenantId);
        return change(transaction);
      }),
    );
  }
}

interface ToKeep {
  readonly announced: AnnouncedContract;
  readonly checked: Extract<CheckedContract, { kind: 'fit' }>;
  readonly basis: string;
}

/** Of the contract as it was announced. An older gateway writes none. */
export function fingerprintOf({ fingerprint: known, contract }: Pick<ServedRow, 'fingerprint' | 'contract'>): string {
  return known ?? fingerprint(contract);
}

async function printIn(transaction: Prisma.TransactionClient, row: Omit<ServedRow, 'contract'>): Promise<string> {
  if (row.fingerprint !== null) return row.fingerprint;
  const { tenantId, name, version } = row;
  return fingerprintOf(await transaction.servedTool.findUniqueOrThrow({ where: { tenantId_name_version: { tenantId, name, version } } }));
}

async function elsewhereFault(transaction: Prisma.TransactionClient, { tenantId, name, domain }: ServedRow): Promise<string | null> {
  const where = { tenantId, name, approvedAt: { not: null }, domain: { not: domain } };
  const other = await transaction.servedTool.findFirst({ where, omit: { contract: true } });
  return other && elsewhereText(name, other.domain);
}

function elsewhereText(name: string, domain: string): string {
  return `name: '${name}' belongs to the domain '${domain}'; announce it there, or choose another name`;
}

function widenedText({ continues, widened }: ToKeep['checked']): string | null {
  if (continues === null || widened.length === 0) return null;
  return `${widened.join(', ')}: not as in ${continues}, which is approved; an administrator has to look at it`;
}

function basisOf(rows: readonly Pick<ServedRow, 'version' | 'fingerprint' | 'announcedAt' | 'domain'>[]): string {
  return rows
    .map((row) => `${row.version} ${row.fingerprint} ${row.announcedAt.getTime()}`)
    .toSorted()
    .join(' ');
}

function isOurs(catalog: Catalog, name: string): boolean {
  return catalog.find(name) !== undefined || catalog.unservedDomain(name) !== undefined;
}

function versionOf({ tenantId, name, version }: ServedVersion): ServedVersion {
  return { tenantId, name, version };
}

/** As the database gives it back. */
function plain(text: string): object {
  const parsed: object = JSON.parse(text);
  return parsed;
}
