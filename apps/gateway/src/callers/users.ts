import type { Tier } from '#lib/contracts';
import type { Database } from '#lib/platform';

const freshMs = 5_000;
const keptUsers = 10_000;

/** Tiers of users, for calls that a key makes in their name. Last known ones serve while the database is away. */
export class Users {
  readonly #database: Pick<Database, 'user'>;
  readonly #known = new Map<string, { readonly tier: Tier | null; readonly at: number }>();

  constructor(database: Pick<Database, 'user'>) {
    this.#database = database;
  }

  /** The tier of a user of a tenant; null when there is no such user, or none can be asked for. */
  async tierOf(tenantId: string, id: string): Promise<Tier | null> {
    const key = JSON.stringify([tenantId, id]);
    const known = this.#known.get(key);
    if (known && Date.now() - known.at < freshMs) return known.tier;
    const tier = await this.#database.user.findUnique({ where: { tenantId_id: { tenantId, id } } }).then(
      (user) => user?.tier ?? null,
      () => known?.tier ?? null,
    );
    this.#known.delete(key);
    this.#known.set(key, { tier, at: Date.now() });
    const [oldest] = this.#known.keys();
    if (this.#known.size > keptUsers && oldest) this.#known.delete(oldest);
    return tier;
  }
}
