import type { InvocationEvent } from '#lib/contracts';
import { encode, type RetriesUsed } from './codec.js';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { domainOf, partitionOfJob } from '../redis/partition.js';
import { openLifeMs } from '../redis/lives.js';
import { append, maxLogBytes } from '../scripts/append.js';
import type { Writes } from '../redis/writes.js';

interface AttemptWritesParts {
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  readonly writes: Writes;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Appended {
  readonly events: readonly InvocationEvent[];
  /** What becomes of them when the log has no room for them. */
  readonly whenFull: 'write' | 'skip' | 'refuse';
  /** Of the record, to change beside them. */
  readonly field?: string;
  readonly value?: string;
  readonly state?: string;
}

/**
 * What the attempt that has a call writes while it runs. Each method is one atomic step, and false where the call has ended or a later attempt
 * has it: the caller should stop working on it.
 */
export class AttemptWrites {
  readonly #parts: AttemptWritesParts;

  constructor(parts: AttemptWritesParts) {
    this.#parts = parts;
  }

  async progress(jobId: string, attempt: number, event: Extract<InvocationEvent, { kind: 'progress' }>): Promise<boolean> {
    const { progress, message } = event;
    return this.#append(jobId, attempt, {
      events: [event],
      whenFull: 'skip',
      field: 'progress',
      value: JSON.stringify({ progress, message }),
    });
  }

  async retry(
    jobId: string,
    attempt: number,
    { event, spent }: { readonly event: InvocationEvent; readonly spent: RetriesUsed },
  ): Promise<boolean> {
    return this.#append(jobId, attempt, {
      events: [event],
      whenFull: 'write',
      field: 'spent',
      value: encode.spent(spent),
      state: 'delayed',
    });
  }

  /** Notes what all attempts of a call have reported as costs so far, in millionths of a US dollar. */
  async reported(jobId: string, attempt: number, micros: number): Promise<boolean> {
    return this.#append(jobId, attempt, { events: [], whenFull: 'write', field: 'reported', value: String(micros) });
  }

  /** Notes the model that a call asks. */
  async asks(jobId: string, attempt: number, model: string): Promise<boolean> {
    return this.#append(jobId, attempt, { events: [], whenFull: 'write', field: 'model', value: model });
  }

  /** Adds output events of a handler, in one step. Throws RangeError when the log has no room for them. */
  async output(jobId: string, attempt: number, data: readonly unknown[]): Promise<boolean> {
    return this.#append(jobId, attempt, { events: data.map((one) => ({ kind: 'output', data: one })), whenFull: 'refuse' });
  }

  /** Whether this attempt has the call: it has not ended, and no later one has begun. */
  async isRunning(jobId: string, attempt: number): Promise<boolean> {
    const { redis, keys } = this.#parts;
    const [state, runs] = await redis.hmget(keys.invocation(jobId), 'state', 'runs');
    return state === 'active' && Number(runs) === attempt;
  }

  async #append(jobId: string, attempt: number, { events, whenFull, field = '', value = '', state = '' }: Appended): Promise<boolean> {
    const { redis, keys, writes, now } = this.#parts;
    const write = writes.number();
    const written = await writes.run(() =>
      append.run(redis, {
        keys: { invocation: keys.invocation(jobId), events: keys.events(jobId) },
        args: {
          jobId,
          now: now(),
          lifeMs: openLifeMs,
          attempt,
          write,
          field,
          value,
          state,
          whenFull,
          notices: keys.notices(domainOf(partitionOfJob(jobId))),
        },
        moreArgs: events.map(encode.event),
      }),
    );
    if (written === -1) throw new RangeError(`The events of a call may have ${maxLogBytes} bytes in all`);
    return written === 1;
  }
}
