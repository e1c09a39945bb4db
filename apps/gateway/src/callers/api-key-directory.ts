import { Refusal, type Caller } from '#lib/contracts';
import { apiKeyId, matchesApiKey, type Database } from '#lib/platform';

/** How long a key is used without a check. A revocation takes effect within this time. */
const freshMs = 1_000;
/** How long a request of a known key waits for a database that hangs. */
const maxWaitMs = 500;
const keptKeys = 10_000;

export type KeyRow = NonNullable<Awaited<ReturnType<Database['apiKey']['findUnique']>>>;

interface Known {
  row: KeyRow | null;
  checkedAt: number;
  refreshing: Promise<void> | null;
}

/**
 * API keys from Postgres. Each key is read at most once a second. While the database is away, known keys go on working as they
 * were last read, and unknown ones get NETWORK_ERROR (503).
 */
export class ApiKeyDirectory {
  readonly #find: (id: string) => Promise<KeyRow | null>;
  readonly #known = new Map<string, Known>();

  /** @param find one read of the store; it may fail or hang */
  constructor(find: (id: string) => Promise<KeyRow | null>) {
    this.#find = find;
  }

  /** The caller of a key. Throws UNAUTHORIZED for anything that is not a live key, without saying which part is wrong. */
  async callerOf(key: string, now = Date.now()): Promise<Caller> {
    const id = apiKeyId(key);
    // The checksum finds most wrong keys without a query.
    if (!id) throw notAKey();
    const row = await this.#current(id, now);
    if (!row || !matchesApiKey(key, row.hash)) throw notAKey();
    requireLive(row, now);
    return { tenantId: row.tenantId, userId: row.userId, tier: row.tier, scopes: row.scopes, credentialId: row.id };
  }

  /** Checks again a key that was accepted before. Throws UNAUTHORIZED, or NETWORK_ERROR for an unknown one without the database. */
  async check(id: string, now = Date.now()): Promise<void> {
    const row = await this.#current(id, now);
    if (!row) throw notAKey();
    requireLive(row, now);
  }

  /** Forgets a key, so its next use reads the database. */
  forget(id: string): void {
    this.#known.delete(id);
  }

  async #current(id: string, now: number): Promise<KeyRow | null> {
    const known = this.#known.get(id) ?? { row: null, checkedAt: 0, refreshing: null };
    if (now - known.checkedAt < freshMs) return known.row;
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
    const row = await this.#find(id);
    known.row = row;
    known.checkedAt = Date.now();
    // Unknown ids are not kept: an attacker could fill the memory with them.
    if (!row) return void this.#known.delete(id);
    this.#known.delete(id);
    this.#known.set(id, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > keptKeys && oldest) this.#known.delete(oldest);
  }
}

function requireLive({ revokedAt, expiresAt }: KeyRow, now: number): void {
  if (revokedAt) throw new Refusal('UNAUTHORIZED', 'The API key has been revoked');
  if (expiresAt && expiresAt.getTime() <= now) throw new Refusal('UNAUTHORIZED', 'The API key has expired');
}

function notAKey(): Refusal {
  return new Refusal('UNAUTHORIZED', 'The API key is not valid');
}

async function waitedTooLong(): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error('the database takes too long')), maxWaitMs).unref());
}
