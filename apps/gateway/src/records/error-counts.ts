// Counts of errors from both of their places, in one form: Redis has the last day by the minute, Postgres the days before.
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ErrorsQuery } from '#lib/contracts';
import { joinSql, sql } from '#lib/platform';
import { errorHourMs, type CountedKind, type CountedSample, type KindOfHour } from '#lib/transport';
import { Stores } from '../stores.js';

export const dayMs = 24 * errorHourMs;

/** Errors of one kind at one time: in a minute, or on a day. */
export interface KindAt {
  readonly id: string;
  readonly kind: CountedKind;
  /** How many began when, epoch ms. */
  readonly counts: ReadonlyMap<number, number>;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Newest first. */
  readonly samples: readonly CountedSample[];
}

/** What was asked for, without its page. Times in epoch ms. */
export interface AskedErrors extends Pick<ErrorsQuery, 'tool' | 'code' | 'cause'> {
  /** Undefined for all. */
  readonly tenant: string | undefined;
  readonly from: number;
  readonly to: number;
}

const storedSamples = z.array(
  z.object({
    at: z.number(),
    trace_id: z.string(),
    job_id: z.string().nullable(),
    user_id: z.string().nullable(),
    message: z.null().default(null),
  }),
);

interface DayRow extends CountedKind {
  readonly id: string;
  readonly day: string;
  readonly count: number;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly samples: unknown;
}

@Injectable()
export class ErrorCounts {
  constructor(private readonly stores: Stores) {}

  /** By the minute, of the last day. @param asked whole minutes */
  async ofMinutes(asked: AskedErrors): Promise<readonly KindAt[]> {
    const hours = hoursBetween(asked.from, asked.to);
    const kinds = await Promise.all(hours.map(async (hour) => this.stores.errors.read(hour)));
    return kinds.flat().flatMap((kind) => {
      if (!isAsked(kind.kind, asked)) return [];
      const counts = new Map([...kind.minutes].filter(([at]) => at >= asked.from && at < asked.to));
      return counts.size > 0 ? [kindAt(kind, counts, asked)] : [];
    });
  }

  /** By the day. Hours that are not in Postgres yet are read from Redis. @param asked whole days of UTC */
  async ofDays(asked: AskedErrors, now: number): Promise<readonly KindAt[]> {
    const { database } = this.stores;
    const { INVOQ_NAMESPACE: namespace } = this.stores.settings;
    const [from, to] = [new Date(asked.from), new Date(asked.to)];
    const conditions = [
      sql`day >= ${from}::date AND day < ${to}::date`,
      ...(asked.tenant === undefined ? [] : [sql`tenant_id = ${asked.tenant}`]),
      ...(asked.tool === undefined ? [] : [sql`tool_name = ${asked.tool}`]),
      ...(asked.code === undefined ? [] : [sql`(code = ${asked.code} OR native_code = ${asked.code})`]),
      ...(asked.cause === undefined ? [] : [sql`cause = ${asked.cause}`]),
    ];
    // One statement: an hour that is stored meanwhile is in both answers, or in none.
    const [row] = await database.$queryRaw<{ days: DayRow[] | null; hours: number[] | null }[]>`
      SELECT
        (SELECT jsonb_agg(row_to_json(e)) FROM (
          SELECT id, day::text, tenant_id, tool_name, code, native_code, cause, message, count::float8, first_at, last_at, samples
          FROM call_errors WHERE ${joinSql(conditions, ' AND ')}) AS e) AS days,
        (SELECT jsonb_agg(extract(epoch FROM hour) / 3600) FROM kept_error_hour WHERE namespace = ${namespace}) AS hours`;
    const kept = new Set((row?.hours ?? []).map(Number));
    const recent = hoursBetween(Math.max(asked.from, now - dayMs - 5 * errorHourMs), Math.min(asked.to, now + 1)).filter(
      (hour) => !kept.has(hour),
    );
    const kinds = await Promise.all(recent.map(async (hour) => this.stores.errors.read(hour)));
    const unstored = kinds.flat().filter(({ kind }) => isAsked(kind, asked));
    return [...(row?.days ?? []).map(kindOfDay), ...unstored.map((kind) => kindAt(kind, byDay(kind.minutes), asked))];
  }
}

function isAsked(kind: CountedKind, { tenant, tool, code, cause }: AskedErrors): boolean {
  return (
    (tenant === undefined || kind.tenant_id === tenant) &&
    (tool === undefined || kind.tool_name === tool) &&
    (code === undefined || kind.code === code || kind.native_code === code) &&
    (cause === undefined || kind.cause === cause)
  );
}

function kindAt({ id, kind, samples }: KindOfHour, counts: ReadonlyMap<number, number>, { from, to }: AskedErrors): KindAt {
  const within = samples.filter(({ at }) => at >= from && at < to);
  const firstAt = Math.min(...counts.keys());
  return { id, kind, counts, firstAt, lastAt: within[0]?.at ?? Math.max(...counts.keys()), samples: within };
}

function kindOfDay({ id, day, count, first_at, last_at, samples, ...kind }: DayRow): KindAt {
  return {
    id,
    kind,
    counts: new Map([[Date.parse(day), count]]),
    firstAt: new Date(first_at).getTime(),
    lastAt: new Date(last_at).getTime(),
    samples: storedSamples.parse(samples),
  };
}

function byDay(minutes: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const days = new Map<number, number>();
  for (const [at, count] of minutes) {
    const day = Math.floor(at / dayMs) * dayMs;
    days.set(day, (days.get(day) ?? 0) + count);
  }
  return days;
}

/** Hours since 1970 that have a part of a time. */
function hoursBetween(from: number, to: number): readonly number[] {
  const first = Math.floor(from / errorHourMs);
  return Array.from({ length: Math.max(0, Math.ceil(to / errorHourMs) - first) }, (_, index) => first + index);
}
