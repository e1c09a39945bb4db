import { Inject, Injectable } from '@nestjs/common';
import type { Tier } from '#lib/contracts';
import { RecentMap } from '#lib/platform';
import { UserStore } from './user-store.js';

const freshMs = 5_000;
const keptUsers = 10_000;

/** Tiers of users, for calls that a key makes for them. While the database is away the last known tier is used. */
@Injectable()
export class Users {
  readonly #known = new RecentMap<string, { readonly tier: Tier | null; readonly at: number }>(keptUsers);

  constructor(@Inject(UserStore) private readonly store: Pick<UserStore, 'find'>) {}

  /** The tier of a user of a tenant. Null when there is no such user, or the user is not known while the database is away. */
  async tierOf(tenantId: string, id: string): Promise<Tier | null> {
    const key = JSON.stringify([tenantId, id]);
    const known = this.#known.get(key);
    if (known && Date.now() - known.at < freshMs) return known.tier;
    const tier = await this.store.find(tenantId, id).catch(() => known?.tier ?? null);
    this.#known.set(key, { tier, at: Date.now() });
    return tier;
  }
}
