import type { RedisClient } from '../redis/redis-client.js';
import type { LoggedEvent } from '#lib/contracts';
import { decode } from '../record/codec.js';
import type { RedisKeys } from '../redis/redis-keys.js';

/**
 * The events of each invocation, in a Redis stream. The id of an entry is its place; a reader resumes after a place. What follows from the
 * record is not stored: the first event, at place 1, and the last one where there is no other between them. Older versions stored both.
 */
export class EventLog {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;

  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** The output events of all attempts of an invocation, in order. */
  async outputs(jobId: string): Promise<readonly unknown[]> {
    return (await this.readAfter(jobId, 0)).flatMap((entry) => (entry.kind === 'output' ? [entry.data] : []));
  }

  /** What is stored after a place, in order; everything after 0. */
  async readAfter(jobId: string, seq: number): Promise<readonly LoggedEvent[]> {
    const entries = await this.#redis.xrange(this.#keys.events(jobId), `(${seq}-0`, '+');
    return entries.map(([id, fields]) => {
      const values = new Map(Array.from({ length: fields.length / 2 }, (_, index) => [fields[index * 2], fields[index * 2 + 1]]));
      return decode.event(values.get('event') ?? '', { seq: Number(id.split('-')[0]), at: Number(values.get('at')) });
    });
  }
}
