import type { RedisClient } from '../redis/redis-client.js';
import type { Acceptance } from './acceptance.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import type { Partition } from '../redis/partition.js';

const hourMs = 3_600_000;

export type TenantFull = Extract<Acceptance, { kind: 'tenant-full' }>;

/** How many bytes the calls of a tenant hold and may hold in a partition. The scripts count; `scripts/holding.ts` says how. */
export class TenantBytes {
  readonly maxBytes: number;
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;

  /** @param maxBytes of one tenant in one partition */
  constructor(redis: RedisClient, keys: RedisKeys, maxBytes: number) {
    this.#redis = redis;
    this.#keys = keys;
    this.maxBytes = maxBytes;
  }

  /**
   * Whether a call would be refused, before what is large of it is written to the file store for nothing.
   * @param now epoch milliseconds
   * @returns null also when nobody has counted in this hour: then the script that accepts calls decides
   */
  async refusal(
    partition: Partition,
    { tenantId, now }: { readonly tenantId: string; readonly now: number },
    neededBytes: number,
  ): Promise<TenantFull | null> {
    const [sum, counted] = await this.#redis.hmget(this.#keys.held(partition, tenantId), 'sum', 'counted');
    const usedBytes = Number(sum);
    if (Number(counted) !== Math.floor(now / hourMs) || usedBytes + neededBytes <= this.maxBytes) return null;
    return { kind: 'tenant-full', usedBytes, neededBytes, maxBytes: this.maxBytes };
  }
}
