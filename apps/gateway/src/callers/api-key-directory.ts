import { Inject, Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { isApiKey, Refusal, tenantIdSchema, userIdSchema, type Caller } from '#lib/contracts';
import { apiKeyId, matchesApiKey, RecentMap } from '#lib/platform';
import { KeyStore, type KeyRow } from './key-store.js';
import { KeyUses } from './key-uses.js';

/** How long a key is used without a check. A revocation takes effect within this time. */
const freshMs = 1_000;
/** After so long a key that is used is read again, so that its callers need not all wait for it once a second. */
const aheadMs = 700;
/** How long a request of a known key waits for a database that hangs. */
const maxWaitMs = 500;
const keptKeys = 10_000;

interface Known {
  row: KeyRow | null;
  checkedAt: number;
  refreshing: Promise<void> | null;
}

/** The caller of a whole key, as a row has it. */
interface Accepted {
  readonly known: Known;
  readonly row: KeyRow;
  readonly caller: Caller;
}

/**
 * API keys from Postgres. Each key is read at most once a second. While the database is away, known keys go on working as they
 * were last read, and unknown ones get NETWORK_ERROR (503).
 */
@Injectable()
export class ApiKeyDirectory {
  readonly #known = new RecentMap<string, Known>(keptKeys);
  /** By whole keys, which are then neither hashed nor compared again while their row is fresh. */
  readonly #accepted = new RecentMap<string, Accepted>(keptKeys);

  constructor(
    @Inject(KeyStore) private readonly store: Pick<KeyStore, 'find'>,
    @Inject(KeyUses) private readonly uses: Pick<KeyUses, 'note'>,
  ) {}

  /** The caller of a key. Throws UNAUTHORIZED for anything that is not a live key, without saying which part is wrong. */
  async callerOf(key: string, now = Date.now()): Promise<Caller> {
    const accepted = this.acceptedCallerOf(key, now);
    if (accepted) return accepted;
    const id = apiKeyId(key);
    // The checksum finds most wrong keys without a query.
    if (!id) throw notAKey();
    const row = await this.#current(id, now);
    // It was read again, and is as it was: the key has proved itself by this row.
    const before = this.#accepted.get(key);
    const same = before?.row === row ? before : undefined;
    if (!row || (!same && !matchesApiKey(key, row.hash))) throw notAKey();
    requireLive(row, now);
    const caller = same?.caller ?? callerIn(row, now);
    this.uses.note(id, now);
    const known = this.#known.get(id);
    if (known?.row === row) this.#accepted.set(key, { known, row, caller });
    return caller;
  }

  /** The caller of a whole key that was accepted before, was read within the second and has not ended. Null where it has to be looked at. */
  acceptedCallerOf(key: string, now = Date.now()): Caller | null {
    const accepted = this.#accepted.get(key);
    if (!accepted || !this.#isCurrent(accepted, now) || isEnded(accepted.row, now)) return null;
    this.uses.note(accepted.row.id, now);
    this.#readAhead(accepted, now);
    return accepted.caller;
  }

  /** The caller of a key that has proved itself before, by its public id. Throws like `callerOf`. */
  async callerOfId(id: string, now = Date.now()): Promise<Caller> {
    const row = await this.#current(id, now);
    if (!row) throw notAKey();
    const caller = callerIn(row, now);
    this.uses.note(id, now);
    return caller;
  }

  /** The domains that workers of a key may serve; any when there is none, as for what is no key. */
  async servesOf(id: string, now = Date.now()): Promise<readonly string[]> {
    return isApiKey(id) ? ((await this.#current(id, now))?.serves ?? []) : [];
  }

  /** Checks again a key that was accepted before. Throws UNAUTHORIZED, or NETWORK_ERROR for an unknown one without the database. */
  async check(
    id: string,
    { isFresh = false, now = Date.now() }: { readonly isFresh?: boolean; readonly now?: number } = {},
  ): Promise<void> {
    const row = await this.#current(id, now, isFresh ? 0 : freshMs);
    if (!row) throw notAKey();
    requireLive(row, now);
  }

  /** Forgets a key, so its next use reads the database. */
  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Whether the row is the one that was read last, and within the second. */
  #isCurrent({ known, row }: Accepted, now: number): boolean {
    return known.row === row && now - known.checkedAt < freshMs && this.#known.get(row.id) === known;
  }

  /** What fails is asked for again when the second is over. */
  #readAhead({ known, row: { id } }: Accepted, now: number): void {
    if (known.refreshing || now - known.checkedAt < aheadMs) return;
    known.refreshing = this.#refresh(id, known)
      .catch(() => undefined)
      .finally(() => (known.refreshing = null));
  }

  async #current(id: string, now: number, maxAgeMs = freshMs): Promise<KeyRow | null> {
    const known = this.#known.get(id) ?? { row: null, checkedAt: 0, refreshing: null };
    if (now - known.checkedAt < maxAgeMs) return known.row;
    known.refreshing ??= this.#refresh(id, known).finally(() => (known.refreshing = null));
    try {
      await (known.row ? Promise.race([known.refreshing, waitedTooLong()]) : known.refreshing);
    } catch {
      if (!known.row) throw new Refusal('NETWORK_ERROR', 'API keys cannot be checked at the moment', { retry_after_ms: 1_000 });
      // A known key keeps its last state, and the database is not asked again for a second.
      known.checkedAt = now;
    }
    return known.row;
  }

  async #refresh(id: string, known: Known): Promise<void> {
    const row = await this.store.find(id);
    // The same object as long as it says the same: what was derived from it holds.
    if (!isDeepStrictEqual(row, known.row)) known.row = row;
    known.checkedAt = Date.now();
    // Unknown ids are not kept: an attacker could fill the memory with them.
    if (!row) return void this.#known.delete(id);
    this.#known.set(id, known);
  }
}

/** Throws UNAUTHORIZED for a key that has ended. */
function callerIn(row: KeyRow, now: number): Caller {
  requireLive(row, now);
  requireClear(row);
  const { id, tenantId, userId, tier, scopes, tools, toolset } = row;
  return { tenantId, userId, tier, scopes, credentialId: id, ...(tools.length > 0 && { tools }), ...(toolset !== null && { toolset }) };
}

function isEnded({ revokedAt, expiresAt }: KeyRow, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt.getTime() <= now);
}

function requireLive(row: KeyRow, now: number): void {
  if (isEnded(row, now)) throw new Refusal('UNAUTHORIZED', `The API key has ${row.revokedAt ? 'been revoked' : 'expired'}`);
}

/** A row may be older than the rules for ids, or written past them. */
function requireClear({ tenantId, userId }: KeyRow): void {
  if (tenantIdSchema.safeParse(tenantId).success && userIdSchema.nullable().safeParse(userId).success) return;
  throw new Refusal(
    'UNAUTHORIZED',
    'The API key belongs to a tenant or user whose id is not allowed; an administrator has to make another',
  );
}

function notAKey(): Refusal {
  return new Refusal('UNAUTHORIZED', 'The API key is not valid');
}

async function waitedTooLong(): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error('the database takes too long')), maxWaitMs).unref());
}
