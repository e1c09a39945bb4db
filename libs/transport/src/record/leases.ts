import { randomBytes } from 'node:crypto';
import type { SucceedingProcess } from '#lib/platform';
import type { RedisClient } from '../redis/redis-client.js';
import { rest } from '../scripts/rest.js';

/** How long the others leave work to a process that is not heard of. */
const leaseMs = 5_000;
/** So often it is heard of: two that are late or lost cost it nothing. */
const renewMs = 1_500;

/**
 * Work that one process does at a time, by leases in Redis. They save work and keep nothing apart: who pauses for longer than a lease goes on beside
 * the next one. So whatever is done under a lease may be done twice.
 */
export class Leases {
  readonly #redis: RedisClient;
  readonly #succeeds: SucceedingProcess | null;
  readonly #holder: string;

  constructor(redis: RedisClient, succeeds: SucceedingProcess | null) {
    this.#redis = redis;
    this.#succeeds = succeeds;
    this.#holder = `${succeeds?.name ?? ''}.${randomBytes(9).toString('base64url')}`;
  }

  /**
   * Works, unless another process does so or has just done so. Afterwards nobody does for `restMs`.
   * @returns whether it worked
   */
  async alone(lease: string, restMs: number, work: () => Promise<void>): Promise<boolean> {
    if (!(await this.#take(lease))) return false;
    // While Redis is away the work fails as well, and tells it.
    const renewal = setInterval(() => void this.#endIn(lease, leaseMs).catch(() => undefined), renewMs).unref();
    try {
      await work();
    } finally {
      clearInterval(renewal);
      await this.#endIn(lease, restMs);
    }
    return true;
  }

  /** Takes a lease for `heldMs`, or goes on to hold it for so long from now. @returns false where another process does */
  async hold(lease: string, heldMs: number): Promise<boolean> {
    return (await this.#take(lease, heldMs)) || this.#endIn(lease, heldMs);
  }

  /** A process that has ended holds it no more. */
  async #take(lease: string, forMs = leaseMs): Promise<boolean> {
    if (await this.#takeFree(lease, forMs)) return true;
    const { ended = [] } = this.#succeeds ?? {};
    if (ended.length === 0) return false;
    const holder = (await this.#redis.get(lease)) ?? '';
    if (!ended.some((name) => holder.startsWith(`${name}.`))) return false;
    await this.#endIn(lease, 0, holder);
    return this.#takeFree(lease, forMs);
  }

  async #takeFree(lease: string, forMs: number): Promise<boolean> {
    return (await this.#redis.set(lease, this.#holder, 'PX', forMs, 'NX')) !== null;
  }

  /** @returns whether it is the holder's */
  async #endIn(lease: string, restMs: number, holder = this.#holder): Promise<boolean> {
    return (await rest.run(this.#redis, { keys: { lease }, args: { holder, restMs } })) === 1;
  }
}
