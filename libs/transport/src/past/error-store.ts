import { hash } from 'node:crypto';
import { z } from 'zod';
import { argumentsOfKind, countErrors } from '../scripts/count-errors.js';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { idOf, type CountedKind, type CountedSample } from './call-error.js';

export const errorMinuteMs = 60_000;
export const errorHourMs = 3_600_000;
/** Errors of a day and a bit are in Redis, by the minute. */
const lifeMs = 30 * errorHourMs;
/**
 * Kinds that an hour of all processes has. A kind holds at most 6 kB in an hour: 60 counts, its facts and three samples. So a tenant that makes
 * as many messages as it can holds 20 MB, and all together 130 MB.
 */
const mostKinds = 600;
const mostOfTenant = 100;
const mostSpares = 100;
/** Kinds in one script. */
const inOneStep = 100;

/** Errors of one kind in one minute, as a process has counted them. */
export interface CountedErrors {
  readonly kind: CountedKind;
  /** What it is counted as where there is no place for it: for its tenant, and for all. */
  readonly spares: readonly [CountedKind, CountedKind];
  /** Its beginning, epoch ms. */
  readonly minute: number;
  readonly count: number;
  /** At most 3. */
  readonly samples: readonly CountedSample[];
}

/** Errors of one kind in one hour, as Redis has them. */
export interface KindOfHour {
  readonly id: string;
  readonly kind: CountedKind;
  /** By the beginning of the minute, epoch ms. */
  readonly minutes: ReadonlyMap<number, number>;
  readonly samples: readonly CountedSample[];
}

const storedKind = z.object({
  tenant_id: z.string().nullable(),
  tool_name: z.string().nullable(),
  code: z.string(),
  native_code: z.string().nullable(),
  cause: z.enum(['caller', 'system']),
  message: z.string().nullable(),
});
const storedSample = z.object({
  at: z.number(),
  trace_id: z.string(),
  job_id: z.string().nullable(),
  user_id: z.string().nullable(),
  message: z.string().nullable(),
});

/** Counts of errors by kind and minute, over all processes: in Redis, for a day. Bounded, whatever callers send. */
export class ErrorStore {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;

  /** @param redis fails at once while Redis is away */
  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Adds what one process has counted. */
  async add(counted: readonly CountedErrors[]): Promise<void> {
    for (const [hour, ofHour] of Map.groupBy(counted, ({ minute }) => Math.floor(minute / errorHourMs)))
      for (let first = 0; first < ofHour.length; first += inOneStep)
        await countErrors.run(this.#redis, {
          keys: { hour: this.#keys.errors(hour) },
          args: { lifeMs, mostKinds, mostOfTenant, mostSpares },
          moreArgs: ofHour.slice(first, first + inOneStep).flatMap(argumentsOf),
        });
  }

  /** What was counted in an hour. @param hour since 1970 */
  async read(hour: number): Promise<readonly KindOfHour[]> {
    const fields = Object.entries(await this.#redis.hgetall(this.#keys.errors(hour)));
    const kinds = new Map<string, CountedKind>();
    const minutes = new Map<string, Map<number, number>>();
    const samples = new Map<string, CountedSample[]>();
    for (const [field, value] of fields) {
      const [number = '', place] = field.slice(1).split(':');
      if (field.startsWith('g')) kinds.set(number, storedKind.parse(JSON.parse(value)));
      if (field.startsWith('c')) {
        const ofKind = minutes.get(number) ?? new Map<number, number>();
        minutes.set(number, ofKind.set(hour * errorHourMs + Number(place) * errorMinuteMs, Number(value)));
      }
      if (field.startsWith('s')) samples.set(number, [...(samples.get(number) ?? []), storedSample.parse(JSON.parse(value))]);
    }
    return [...kinds].map(([number, kind]) => ({
      id: idOf(kind),
      kind,
      minutes: minutes.get(number) ?? new Map<number, number>(),
      samples: (samples.get(number) ?? []).sort((a, b) => b.at - a.at),
    }));
  }
}

function argumentsOf({ kind, spares, minute, count, samples }: CountedErrors): readonly (string | number)[] {
  const of = [
    hash('sha1', kind.tenant_id ?? '', 'base64url').slice(0, 8),
    Math.floor((minute % errorHourMs) / errorMinuteMs),
    count,
    ...[kind, ...spares].flatMap((one) => [idOf(one), JSON.stringify(one)]),
    JSON.stringify(samples.map((sample) => JSON.stringify(sample))),
  ];
  if (of.length !== argumentsOfKind) throw new TypeError(`A kind has ${of.length} arguments`);
  return of;
}
