import { z } from 'zod';
import { outsideServerId } from '#lib/contracts';
import type { Leases } from '../record/leases.js';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';

/** A resource of an outside server, by its own address. `owner`: whose account the server acts with, where it has one for each caller. */
const watchedResource = z.object({ tenant: z.string().nullable(), server: z.string(), uri: z.string(), owner: z.string().optional() });
export type WatchedResource = z.output<typeof watchedResource>;

/** What is listened for on one connection to a server. */
export interface WatchedServer {
  readonly tenant: string | null;
  readonly server: string;
  /** Whose account is used, and whose tenant knows its provider; null where the server has none. */
  readonly account: { readonly tenantId: string; readonly owner: string } | null;
  readonly uris: readonly string[];
}

/** Who wants a resource watched says so again within this time, in ms. */
export const wantedMs = 60_000;
/** The worker that holds a server's subscriptions does so again within this time. */
const heldMs = 10_000;
/** @limit a tenant: resources of outside servers that its clients listen for; INVALID_PARAMS */
export const mostWatched = 1_000;
/** Tenants whose wishes a worker looks at. */
const mostTenants = 10_000;

/**
 * Which resources of outside servers somebody listens for, over all gateways, and which worker has subscribed to those of a server. Both are
 * wishes with an end: whoever dies stops wishing.
 */
export class WatchedResources {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;

  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /**
   * For `wantedMs` from now. Several gateways that ask at the same moment may go over the room of a tenant, by what each of them asks for.
   * @returns those for which the tenant has no room
   */
  async want(tenantId: string, resources: readonly WatchedResource[]): Promise<readonly WatchedResource[]> {
    if (resources.length === 0) return [];
    const key = this.#keys.watchedResources(tenantId);
    const now = Date.now();
    await this.#redis.zremrangebyscore(key, 0, now);
    const wanted = new Set(await this.#redis.zrangebyscore(key, '-inf', '+inf'));
    const [taken, refused]: [string[], WatchedResource[]] = [[], []];
    for (const resource of resources) {
      const member = JSON.stringify(watchedResource.parse(resource));
      if (!wanted.has(member) && wanted.size >= mostWatched) {
        refused.push(resource);
        continue;
      }
      wanted.add(member);
      taken.push(member);
    }
    const until = now + wantedMs;
    if (taken.length > 0) await this.#redis.zadd(key, ...taken.flatMap((member) => [until, member]));
    await this.#redis.pexpire(key, wantedMs);
    await this.#redis.zadd(this.#keys.watchingTenants(), until, tenantId);
    return refused;
  }

  /** All that somebody listens for, by server and account, each once. */
  async byServer(): Promise<ReadonlyMap<string, WatchedServer>> {
    const now = Date.now();
    const tenants = await this.#redis.zrangebyscore(this.#keys.watchingTenants(), now, '+inf', 'LIMIT', 0, mostTenants);
    if (tenants.length === 0) return new Map();
    await this.#redis.zremrangebyscore(this.#keys.watchingTenants(), 0, now);
    const found = new Map<string, Omit<WatchedServer, 'uris'> & { readonly uris: Set<string> }>();
    for (const tenantId of tenants)
      for (const member of await this.#redis.zrangebyscore(this.#keys.watchedResources(tenantId), now, '+inf')) {
        const { tenant, server, uri, owner } = watchedResource.parse(JSON.parse(member));
        const id = outsideServerId({ tenantId: tenant, name: server });
        const account = owner === undefined ? null : { tenantId, owner };
        // An owner's name has their tenant in it.
        const key = account ? `${id} ${account.owner}` : id;
        const known = found.get(key) ?? { tenant, server, account, uris: new Set<string>() };
        known.uris.add(uri);
        found.set(key, known);
      }
    return new Map([...found].map(([key, { uris, ...of }]) => [key, { ...of, uris: [...uris] }]));
  }

  /** Whether the worker with these leases is the one that subscribes to what `byServer` has under a key, for `heldMs` from now. */
  async hold(watchedKey: string, leases: Pick<Leases, 'hold'>): Promise<boolean> {
    return leases.hold(this.#keys.watcherOf(watchedKey), heldMs);
  }
}
