import type { RedisClient } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';

/** What was not served for so long is forgotten, in ms. */
const forgottenMs = 3_600_000;

/** A version of a tool in the queue of its tenant's domain. */
export interface ServedName {
  readonly queue: string;
  readonly name: string;
  readonly version: string;
}

/** Which versions of tenants' tools have a worker, over all gateways: each says so of its own workers, and until when it holds. */
export class ServedPresence {
  readonly #redis: RedisClient;
  readonly #key: string;

  /** @param redis fails at once while Redis is away */
  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#key = keys.servedTools();
  }

  /** @param until epoch milliseconds */
  async announce(served: readonly ServedName[], until: number): Promise<void> {
    if (served.length === 0) return;
    await this.#redis.hset(this.#key, Object.fromEntries(served.map((one) => [fieldOf(one), until])));
  }

  /** Those that have a worker now, as `fieldOf` names them. @param now epoch milliseconds */
  async present(now: number): Promise<ReadonlySet<string>> {
    const entries = Object.entries(await this.#redis.hgetall(this.#key));
    const gone = entries.filter(([, until]) => Number(until) < now - forgottenMs).map(([field]) => field);
    if (gone.length > 0) await this.#redis.hdel(this.#key, ...gone);
    return new Set(entries.filter(([, until]) => Number(until) >= now).map(([field]) => field));
  }

  static fieldOf(served: ServedName): string {
    return fieldOf(served);
  }
}

function fieldOf({ queue, name, version }: ServedName): string {
  return `${queue} ${name}@${version}`;
}
