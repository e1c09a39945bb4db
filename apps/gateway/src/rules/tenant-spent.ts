import { Refusal } from '#lib/contracts';
import { RecentMap, utcDay, type Database } from '#lib/platform';
import type { Spent } from './call-conditions.js';

/** What was read holds so long, in ms: the history has a call a second or two after its end anyway. */
const holdsMs = 1_000;
const keptTenants = 10_000;

export const nothingSpent: Spent = { day_micros: 0n, month_micros: 0n };

interface Read {
  readonly at: number;
  readonly day: string;
  readonly spent: Promise<Spent>;
}

/** What calls of tenants have cost, as the sums of the history have it. */
export class TenantSpent {
  readonly #database: Pick<Database, '$queryRaw'>;
  readonly #reads = new RecentMap<string, Read>(keptTenants);

  constructor(database: Pick<Database, '$queryRaw'>) {
    this.#database = database;
  }

  /** One read a second serves all calls of a tenant. @param now epoch ms. Throws NETWORK_ERROR. */
  async of(tenantId: string, now: number): Promise<Spent> {
    const known = this.#reads.get(tenantId);
    const day = utcDay(new Date(now));
    if (known && Math.abs(now - known.at) < holdsMs && known.day === day) return known.spent;
    const spent = this.#read(tenantId, day);
    this.#reads.set(tenantId, { at: now, day, spent });
    spent.catch(() => this.#reads.delete(tenantId));
    return spent;
  }

  async #read(tenantId: string, day: string): Promise<Spent> {
    const first = `${day.slice(0, 7)}-01`;
    try {
      const [sum] = await this.#database.$queryRaw<Spent[]>`
        SELECT coalesce(sum(cost_micros) FILTER (WHERE day = ${day}::date), 0)::bigint AS day_micros,
          coalesce(sum(cost_micros), 0)::bigint AS month_micros
        FROM call_usage WHERE tenant_id = ${tenantId} AND day >= ${first}::date AND day <= ${day}::date`;
      return sum ?? nothingSpent;
    } catch (cause) {
      const refusal = new Refusal('NETWORK_ERROR', 'What your tenant has spent cannot be read at the moment, and its policies look at it', {
        retry_after_ms: 1_000,
      });
      refusal.cause = cause;
      throw refusal;
    }
  }
}
