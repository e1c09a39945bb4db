import {
  compareVersions,
  continuesMajor,
  fingerprint,
  refusedChange,
  servedContract,
  servedFaults,
  servedSizeFault,
  servedTool,
  ServedToolError,
  shapeOf,
  type Catalog,
  type ServedPlace,
  type ServedTool,
  type ToolContract,
} from '#lib/contracts';
import { changeAs, type AuditedDatabase, type Database } from '#lib/platform';

/** Versions of tools that a tenant may have, approved or not. */
const mostOfTenant = 500;

/** What became of one tool that a worker announced. */
export interface Verdict {
  readonly name: string;
  readonly version: string;
  /** `pending`: an administrator has to approve it first. */
  readonly state: 'approved' | 'pending' | 'refused';
  /** Why it was refused. */
  readonly reason?: string;
  /** What makes it hard to use for a model. */
  readonly warnings: readonly string[];
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

interface Checked {
  readonly tool: ServedTool;
  readonly contract: ToolContract;
  readonly warnings: readonly string[];
}

/** A version of a tool, in the names of its table. */
export interface ServedVersion {
  readonly tenantId: string;
  readonly name: string;
  readonly version: string;
}

/** The tools that tenants serve, as they were announced and approved, in Postgres. */
export class ServedTools {
  readonly #database: AuditedDatabase<'servedTool'>;
  readonly #catalog: Catalog;
  readonly #isDevelopment: boolean;

  /**
   * @param catalog whose own names no tenant may take
   * @param options isDevelopment: versions below 1.0.0 may change under the same number, by keys that approve what they announce
   */
  constructor(database: AuditedDatabase<'servedTool'>, catalog: Catalog, { isDevelopment }: { readonly isDevelopment: boolean }) {
    this.#database = database;
    this.#catalog = catalog;
    this.#isDevelopment = isDevelopment;
  }

  /** Checks and keeps what a worker announced. Announcing the same again changes nothing. @param tools as they were received */
  async announce(announcer: Announcer, tools: readonly unknown[]): Promise<readonly Verdict[]> {
    const verdicts: Verdict[] = [];
    // One after the other: two versions of one tool in one announcement are compared with each other.
    for (const tool of tools) {
      const checked = this.#check(announcer.place, tool);
      verdicts.push('state' in checked ? checked : await this.#keep(announcer, checked));
    }
    return verdicts;
  }

  async all(tenantId?: string): Promise<readonly ServedRow[]> {
    return this.#database.servedTool.findMany({
      where: tenantId === undefined ? {} : { tenantId },
      orderBy: [{ announcedAt: 'desc' }, { name: 'asc' }],
      take: 1_000,
    });
  }

  async approved(): Promise<readonly ServedRow[]> {
    return this.#database.servedTool.findMany({ where: { approvedAt: { not: null } } });
  }

  /**
   * Approves a version as the administrator has seen it.
   * @returns the version, approved or as it is now; null where there is none
   */
  async approve(approved: ServedVersion & { readonly fingerprint: string }, approvedBy: string): Promise<ServedRow | null> {
    const where = versionOf(approved);
    const row = await this.#database.servedTool.findFirst({ where });
    if (!row || row.approvedAt || fingerprint(row.contract) !== approved.fingerprint) return row;
    // The worker may have announced another meanwhile.
    const { announcedAt } = row;
    const data = { approvedBy, approvedAt: new Date() };
    const change = { where: { ...where, announcedAt }, data };
    await changeAs(this.#database, approvedBy, async (transaction) => transaction.servedTool.updateMany(change));
    return this.#database.servedTool.findFirst({ where });
  }

  /** @returns what it was, or null where there was none */
  async remove(version: ServedVersion, removedBy: string): Promise<ServedRow | null> {
    const where = versionOf(version);
    const row = await this.#database.servedTool.findFirst({ where });
    await changeAs(this.#database, removedBy, async (transaction) => transaction.servedTool.deleteMany({ where }));
    return row;
  }

  #check(place: ServedPlace, announced: unknown): Checked | Verdict {
    const refused = (reason: string, named: Partial<ServedTool> = {}): Verdict => ({
      name: named.name ?? textOf(announced, 'name'),
      version: named.version ?? textOf(announced, 'version'),
      state: 'refused',
      reason,
      warnings: [],
    });
    const size = servedSizeFault(announced);
    if (size) return refused(size);
    const parsed = servedTool.safeParse(announced);
    if (!parsed.success)
      return refused(
        parsed.error.issues
          .slice(0, 10)
          .map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`)
          .join('; '),
      );
    const tool = parsed.data;
    try {
      const contract = servedContract(place, tool);
      const { errors, warnings } = servedFaults(contract);
      if (errors.length > 0) return refused(errors.slice(0, 10).join('; '), tool);
      if (this.#catalog.find(tool.name) || this.#catalog.unservedDomain(tool.name))
        return refused(`name: '${tool.name}' is a tool of Invoq; choose another name`, tool);
      return { tool, contract, warnings };
    } catch (error) {
      if (error instanceof ServedToolError) return refused(error.message, tool);
      throw error;
    }
  }

  async #keep(announcer: Announcer, { tool, contract, warnings }: Checked): Promise<Verdict> {
    const { place, keyId, approves } = announcer;
    const { name, version } = tool;
    const key = { tenantId: place.tenant, name, version };
    const verdict = (state: Verdict['state'], reason?: string): Verdict => ({ name, version, state, ...(reason && { reason }), warnings });
    const rows = await this.#database.servedTool.findMany({ where: { tenantId: place.tenant, name } });
    const elsewhere = rows.find(({ domain }) => domain !== place.domain);
    if (elsewhere)
      return verdict('refused', `name: '${name}' belongs to the domain '${elsewhere.domain}'; announce it there, or choose another name`);
    const published = rows.filter(({ approvedAt }) => approvedAt !== null).flatMap((row) => contractIn(row) ?? []);
    const isDraft = this.#isDevelopment && approves && version.startsWith('0.');
    const change = isDraft ? null : refusedChange(shapeOf(contract), published.map(shapeOf));
    if (change) return verdict('refused', change);
    const stored = rows.find((row) => row.version === version);
    const isSame = stored !== undefined && fingerprint(stored.contract) === fingerprint(plain(tool));
    const isApproved = stored ? stored.approvedAt !== null : approves || isContinued(contract, published);
    if (isSame && (isApproved || !approves)) return verdict(isApproved ? 'approved' : 'pending');
    if (stored && isApproved && !approves)
      return verdict('refused', `${name} ${version} differs from what was approved, in more than its form: give it a new version`);
    if (!stored && (await this.#database.servedTool.count({ where: { tenantId: place.tenant } })) >= mostOfTenant)
      return verdict('refused', `your tenant has ${mostOfTenant} versions of tools, the most that it may have; remove some`);
    const now = new Date();
    const approval = isApproved || approves ? { approvedBy: `key:${keyId}`, approvedAt: now } : { approvedBy: null, approvedAt: null };
    const data = { domain: place.domain, contract: plain(tool), announcedBy: keyId, announcedAt: now, ...approval };
    const upsert = { where: { tenantId_name_version: key }, create: { ...key, ...data }, update: data };
    await changeAs(this.#database, `key:${keyId}`, async (transaction) => transaction.servedTool.upsert(upsert));
    return verdict(approval.approvedAt ? 'approved' : 'pending');
  }
}

/** The contract of a stored version. Undefined for one that an older gateway took and this one does not. */
export function contractIn({ tenantId, domain, contract }: Pick<ServedRow, 'tenantId' | 'domain' | 'contract'>): ToolContract | undefined {
  const tool = servedTool.safeParse(contract);
  if (!tool.success) return undefined;
  try {
    return servedContract({ tenant: tenantId, domain }, tool.data);
  } catch (error) {
    if (error instanceof ServedToolError) return undefined;
    throw error;
  }
}

/** Whether an approved version of the same major number allows as much: what reads must not begin to write unseen. */
function isContinued(contract: ToolContract, published: readonly ToolContract[]): boolean {
  const ofMajor = published.filter((one) => continuesMajor(contract, [one])).toSorted((a, b) => compareVersions(a.version, b.version));
  const latest = ofMajor.at(-1);
  return latest !== undefined && (contract.effect === 'read' || latest.effect === 'write');
}

function versionOf({ tenantId, name, version }: ServedVersion): ServedVersion {
  return { tenantId, name, version };
}

/** As the database gives it back. */
function plain(tool: ServedTool): object {
  const parsed: object = JSON.parse(JSON.stringify(tool));
  return parsed;
}

function textOf(holder: unknown, key: string): string {
  const value: unknown = typeof holder === 'object' && holder !== null ? Reflect.get(holder, key) : null;
  return typeof value === 'string' ? value.slice(0, 64) : '';
}
