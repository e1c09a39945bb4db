import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Injectable } from '@nestjs/common';
import { errorHourMs, errorsHeldMs, type KindOfHour } from '#lib/transport';
import { dayMs } from './error-counts.js';
import { Stores } from '../stores.js';

const everyMs = 60_000;
/** Before that a process may still add to an hour that is over. */
const settledMs = errorsHeldMs + 2 * 60_000;
/** Redis has no hours that are older. */
const mostHours = 29;

/**
 * Adds the errors of each hour that is over to their day in Postgres, once: the hour is marked in the same transaction. Every gateway looks,
 * and whichever comes first does it.
 */
@Injectable()
export class ErrorKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  #keeping: Promise<void> | null = null;

  constructor(private readonly stores: Stores) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => void this.#turn(), everyMs).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#keeping;
  }

  async #turn(): Promise<void> {
    this.#keeping ??= this.keep(Date.now())
      .catch((error: unknown) =>
        this.stores.log.warn(
          { event: 'errors-fault', err: error },
          'counts of errors could not be written to their day; they stay in Redis',
        ),
      )
      .finally(() => (this.#keeping = null));
    await this.#keeping;
  }

  /** Stores the hours that are over and not stored. Rejects while Redis or Postgres is away. @param now epoch ms */
  async keep(now: number): Promise<void> {
    const { database, errors: store } = this.stores;
    const { INVOQ_NAMESPACE: namespace } = this.stores.settings;
    const last = Math.floor((now - settledMs) / errorHourMs) - 1;
    const hours = Array.from({ length: mostHours }, (_, index) => last - mostHours + 1 + index);
    const rows = await database.$queryRaw<{ hour: number }[]>`
      SELECT (extract(epoch FROM hour) / 3600)::int AS hour FROM kept_error_hour WHERE namespace = ${namespace}`;
    const kept = new Set(rows.map(({ hour }) => hour));
    for (const hour of hours) if (!kept.has(hour)) await this.#keep(hour, await store.read(hour));
    if (!kept.has(last)) await this.#forget(now);
  }

  async #keep(hour: number, kinds: readonly KindOfHour[]): Promise<void> {
    const { database } = this.stores;
    const { INVOQ_NAMESPACE: namespace } = this.stores.settings;
    const rows = JSON.stringify(kinds.map(rowOf));
    await database.$sqlTransaction(async (transaction) => {
      const marked = await transaction.$executeRaw`
        INSERT INTO kept_error_hour (namespace, hour) VALUES (${namespace}, ${new Date(hour * errorHourMs)}) ON CONFLICT DO NOTHING`;
      if (marked === 0 || kinds.length === 0) return;
      await transaction.$executeRaw`
        INSERT INTO call_errors AS e (day, id, tenant_id, tool_name, code, native_code, cause, message, count, first_at, last_at, samples)
        SELECT ${new Date(hour * errorHourMs)}::timestamptz AT TIME ZONE 'UTC', id, tenant_id, tool_name, code, native_code, cause, message,
          count, to_timestamp(first_at / 1000), to_timestamp(last_at / 1000), samples
        FROM jsonb_to_recordset(${rows}::jsonb) AS r (
          id TEXT, tenant_id TEXT, tool_name TEXT, code TEXT, native_code TEXT, cause TEXT, message TEXT, count BIGINT,
          first_at DOUBLE PRECISION, last_at DOUBLE PRECISION, samples JSONB)
        ORDER BY id
        ON CONFLICT (day, id) DO UPDATE SET count = e.count + excluded.count, first_at = least(e.first_at, excluded.first_at),
          last_at = greatest(e.last_at, excluded.last_at), samples = excluded.samples`;
    });
  }

  async #forget(now: number): Promise<void> {
    const { database, settings } = this.stores;
    await database.$executeRaw`DELETE FROM call_errors WHERE day < ${new Date(now - settings.HISTORY_DAYS * dayMs)}::date`;
    await database.$executeRaw`DELETE FROM kept_error_hour WHERE namespace = ${settings.INVOQ_NAMESPACE} AND hour < ${new Date(now - 7 * dayMs)}`;
  }
}

/** Without the messages of samples, which may hold what a caller sent. */
function rowOf({ id, kind, minutes, samples }: KindOfHour) {
  const starts = [...minutes.keys()];
  return {
    id,
    ...kind,
    // Postgres has no character 0.
    message: kind.message?.replaceAll('\0', '\uFFFD') ?? null,
    count: [...minutes.values()].reduce((sum, count) => sum + count, 0),
    first_at: Math.min(...starts),
    last_at: samples[0]?.at ?? Math.max(...starts),
    samples: samples.map(({ message: _message, ...sample }) => sample),
  };
}
