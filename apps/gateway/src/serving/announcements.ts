import { compareVersions, type Catalog } from '#lib/contracts';
import type { AuditedDatabase } from '#lib/platform';
import { stored } from '../http/stored.js';
import { announcedContract, type AnnouncedContract } from './announced-contract.js';
import { priceOfCheck, priceOfLook, type AnnouncementBudget } from './announcement-budget.js';
import type { Check, ContractChecks } from './contract-checks.js';
import { basisOf, keepAnnounced } from './keep-announced.js';
import type { ServedBounds } from './served-bounds.js';
import { changeServed, unreachable, type ServedVersion } from './served-row.js';
import type { Announcer, Judged } from './verdict.js';

/** What waits for an approval is kept again, as announced now, after so long. */
const dayMs = 86_400_000;
/** How often an announcement is checked again because the tenant's versions have changed meanwhile. */
const mostTries = 5;

interface AnnouncementsParts {
  readonly database: AuditedDatabase<'servedTool'>;
  /** Whose own names no tenant may take. */
  readonly catalog: Catalog;
  readonly checks: Pick<ContractChecks, 'inTurn'>;
  readonly budget: AnnouncementBudget;
  readonly bounds: ServedBounds;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
  /** Versions below 1.0.0 may change under the same number, by keys that approve what they announce. */
  readonly isDevelopment: boolean;
}

/** Judges what workers announce, and keeps it. */
export class Announcements {
  readonly #parts: AnnouncementsParts;

  constructor(parts: AnnouncementsParts) {
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
    budget.spend(tenant, priceOfLook(announced));
    if (known.size === announced.length) return announced.flatMap((one) => known.get(one) ?? []);
    const onSpent = (ms: number): void => budget.charge(tenant, ms);
    return checks.inTurn(tenant, onSpent, async (check) => {
      // Another worker of the same program may have announced it while this one waited.
      const meanwhile = await this.#known(announcer, announced);
      const changed = announced.filter((one) => !meanwhile.has(one));
      // Not before its turn: those that were let in before may have cost all that was left.
      if (changed.length > 0) budget.spend(tenant, priceOfCheck(changed));
      const judged: Judged[] = [];
      // One after the other: two versions of one tool in one announcement are compared with each other.
      for (const one of announced) judged.push(meanwhile.get(one) ?? (await this.#judge(announcer, one, check)));
      return judged;
    });
  }

  /** Those that are kept just as they were announced, with what became of them. */
  async #known({ place, approves }: Announcer, announced: readonly AnnouncedContract[]): Promise<Map<AnnouncedContract, Judged>> {
    const { database, catalog, now } = this.#parts;
    const names = [...new Set(announced.map(({ name }) => name))];
    const rows = await stored(unreachable, () =>
      database.servedTool.findMany({ where: { tenantId: place.tenant, name: { in: names } }, omit: { contract: true } }),
    );
    const isFresh = (row: (typeof rows)[number]): boolean =>
      row.approvedAt !== null || (!approves && row.announcedAt.getTime() > now() - dayMs);
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
    const { database, catalog, bounds, isDevelopment } = this.#parts;
    const { place, approves } = announcer;
    const { name, version, text, sizeFault } = announced;
    const refused = (reason: string): Judged => ({ name, version, state: 'refused', reason, warnings: [], fingerprint: '' });
    if (sizeFault !== null) return refused(sizeFault);
    if (isOurs(catalog, name)) return refused(`name: '${name}' is a tool of Invoq; choose another name`);
    const changer = { tenantId: place.tenant, principal: `key:${announcer.keyId}` };
    const isDraft = isDevelopment && approves && version.startsWith('0.');
    for (let tries = 0; tries < mostTries; tries++) {
      const approved = await this.#approved({ tenantId: place.tenant, name, version });
      const checked = await check({ place, text, approved: approved.texts, isDraft });
      if (checked.kind === 'refused') return refused(checked.reason);
      const toKeep = { announced, checked, basis: approved.basis, bounds, now: this.#parts.now() };
      const judged = await changeServed(database, changer, (transaction) => keepAnnounced(transaction, announcer, toKeep));
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
}

function isOurs(catalog: Catalog, name: string): boolean {
  return catalog.find(name) !== undefined || catalog.unservedDomain(name) !== undefined || catalog.offBy(name) !== undefined;
}
