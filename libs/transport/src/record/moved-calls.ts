import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { decode, encode } from './codec.js';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { partitionOfJob, type Partition } from '../redis/partition.js';
import { listOf, type ScriptReply } from '../redis/script.js';
import type { Writes } from '../redis/writes.js';
import { comeBack, leaveRedis, readWhole } from '../scripts/move-call.js';
import type { Sealer } from './sealing.js';

interface MovedCallsParts {
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  readonly writes: Writes;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A call at rest, as another store keeps it. */
export interface WholeCall {
  readonly jobId: string;
  readonly tenantId: string;
  /** Names this copy, as a UUID. */
  readonly copy: string;
  /** When its rest ends, in epoch ms. */
  readonly until: number;
  /** All of it, sealed. */
  readonly data: string;
}

const values = z.array(z.string());
const content = z.object({ record: values, events: values, steps: values, lives: z.number() });

/** Calls at rest on their way out of Redis and back. */
export class MovedCalls {
  readonly #parts: MovedCallsParts;

  constructor(parts: MovedCallsParts) {
    this.#parts = parts;
  }

  /** Ids of calls of a partition whose rest ends after a time, those that end last first. */
  async farOff(partition: Partition, after: number, limit: number): Promise<readonly string[]> {
    const { redis, keys } = this.#parts;
    return redis.zrevrangebyscore(keys.resting(partition), '+inf', `(${after}`, 'LIMIT', 0, limit);
  }

  /**
   * Takes a call that rests out of Redis, once `store` has it.
   * @param store keeps it; false where it is there already
   * @returns false for one that does not rest any more, or to which something has happened meanwhile
   */
  async move(jobId: string, store: (whole: WholeCall) => Promise<boolean>): Promise<boolean> {
    const { redis, keys, sealer, writes, now } = this.#parts;
    const names = { invocation: keys.invocation(jobId), events: keys.events(jobId), steps: keys.steps(jobId) };
    const found = listOf(await readWhole.run(redis, { keys: names, args: { now: Math.floor(now()) } }));
    const [digest, ...lists] = found;
    if (typeof digest !== 'string') return false;
    const [record, events, steps] = lists.slice(0, 3).map(textsOf);
    const fields = fieldsOf(record ?? []);
    const [head, rest] = [decode.head(fields.get('head') ?? ''), decode.rest(fields.get('rest') ?? '')];
    const text = JSON.stringify({ record, events, steps, lives: Number(lists[3]) });
    const copy = randomUUID();
    const whole = { jobId, tenantId: head.caller.tenantId, copy, until: rest.until, data: sealer.sealText(text, purposeOf(jobId)) };
    if (!(await store(whole))) return false;
    const shown = encode.head({ ...head, input: {}, inputGone: true });
    const reply = await writes.run(async () =>
      leaveRedis.run(redis, {
        keys: { ...names, resting: keys.resting(partitionOfJob(jobId)) },
        args: { jobId, digestOf: digest, head: shown, copy },
      }),
    );
    return reply === 'moved';
  }

  /** Puts a call back. One that is in Redis stays as it is there. */
  async bringBack({ jobId, copy, until, data }: Omit<WholeCall, 'tenantId'>): Promise<void> {
    const { redis, keys, sealer, writes, now } = this.#parts;
    const { record, events, steps, lives } = content.parse(JSON.parse(sealer.openText(data, purposeOf(jobId))));
    const { flightKey } = decode.head(fieldsOf(record).get('head') ?? '');
    const partition = partitionOfJob(jobId);
    const slot = keys.slot(partition);
    await writes.run(async () =>
      comeBack.run(redis, {
        keys: {
          invocation: keys.invocation(jobId),
          events: keys.events(jobId),
          steps: keys.steps(jobId),
          resting: keys.resting(partition),
        },
        args: {
          slot,
          jobId,
          now: Math.floor(now()),
          ends: until,
          lives,
          flight: flightKey === null ? '' : keys.flight(partition, flightKey).slice(slot.length),
          copy,
          fields: record.length,
          logged: events.length,
        },
        moreArgs: [...record, ...events, ...steps],
      }),
    );
  }
}

function fieldsOf(flat: readonly string[]): ReadonlyMap<string, string> {
  return new Map(Array.from({ length: flat.length / 2 }, (_, index) => [flat[index * 2] ?? '', flat[index * 2 + 1] ?? '']));
}

function textsOf(reply: ScriptReply | undefined): readonly string[] {
  return listOf(reply ?? []).map(String);
}

/** What was put in the place of another call cannot be opened. */
function purposeOf(jobId: string): string {
  return `call at rest: ${jobId}`;
}
