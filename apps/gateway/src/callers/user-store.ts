import { Injectable } from '@nestjs/common';
import type { Tier } from '#lib/contracts';
import { Stores } from '../stores.js';

/** Users in Postgres. Rejects when it is away. */
@Injectable()
export class UserStore {
  constructor(private readonly stores: Stores) {}

  /** The tier of a user; null when there is none. */
  async find(tenantId: string, id: string): Promise<Tier | null> {
    const [user] = await this.stores.database.$queryRaw<{ readonly tier: Tier }[]>`
      SELECT tier FROM "user" WHERE tenant_id = ${tenantId} AND id = ${id}`;
    return user?.tier ?? null;
  }
}
