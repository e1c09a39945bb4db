import { z } from 'zod';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';

/** A domain that no worker was seen of for so long is forgotten, in ms. */
const forgottenMs = 7 * 24 * 3_600_000;
/** Domains that are read; those that were seen last come first. */
const mostRead = 2_000;

const seenDomain = z.tuple([z.string(), z.string(), z.string()]);

/** A domain of a tenant's workers, and when one was last connected. */
export interface SeenDomain {
  readonly queue: string;
  readonly tenant: string;
  /** The tenant's own name of it. */
  readonly domain: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** When each domain of tenants' workers last had one, over all gateways: for people who look at a domain that has none any more. */
export class ServedLastSeen {
  readonly #redis: RedisClient;
  readonly #key: string;

  /** @param redis fails at once while Redis is away */
  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#key = keys.servedLastSeen();
  }

  /** @param now epoch milliseconds */
  async note(domains: readonly Omit<SeenDomain, 'at'>[], now: number): Promise<void> {
    if (domains.length === 0) return;
    const members = domains.flatMap(({ queue, tenant, domain }) => [now, JSON.stringify([queue, tenant, domain])]);
    await this.#redis.zadd(this.#key, 'GT', ...members);
    await this.#redis.zremrangebyscore(this.#key, '-inf', now - forgottenMs);
  }

  /** The one that was seen last comes first. @param now epoch milliseconds */
  async list(now: number): Promise<readonly SeenDomain[]> {
    const range = [this.#key, '+inf', now - forgottenMs, 'WITHSCORES', 'LIMIT', 0, mostRead] as const;
    const reply = await this.#redis.zrevrangebyscore(...range);
    return reply.flatMap((member, index) => {
      const at = Number(reply[index + 1]);
      return index % 2 === 0 ? read(member, at) : [];
    });
  }
}

/** Empty for what another version of a gateway noted. */
function read(member: string, at: number): readonly SeenDomain[] {
  try {
    const [queue, tenant, domain] = seenDomain.parse(JSON.parse(member));
    return [{ queue, tenant, domain, at }];
  } catch {
    return [];
  }
}
