import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { FailedCalls } from './failed-calls.js';
import { Stores } from '../stores.js';

const everyMs = 3_600_000;
const dayMs = 86_400_000;

/**
 * Makes the days of the audit and of the history ahead, and drops those whose time is over. Every gateway does it, one at a time; once more
 * does no harm.
 */
@Injectable()
export class DayKeeper implements OnModuleInit, BeforeApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  #keeping: Promise<void> | undefined;

  constructor(
    private readonly stores: Stores,
    private readonly failed: FailedCalls,
  ) {}

  onModuleInit(): void {
    // A gateway starts without its database.
    const keep = () => (this.#keeping = this.keep());
    void keep();
    this.#timer = setInterval(() => void keep(), everyMs).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#keeping;
  }

  async keep(): Promise<void> {
    const { AUDIT_DAYS, HISTORY_DAYS, USAGE_DAYS, FAILED_DAYS } = this.stores.settings;
    await this.#keep('audit_event', 'AUDIT_DAYS', AUDIT_DAYS);
    await this.#keep('call_history', 'HISTORY_DAYS', HISTORY_DAYS);
    await this.#keep('call_usage', 'USAGE_DAYS', USAGE_DAYS);
    await this.failed
      .forget(new Date(Date.now() - FAILED_DAYS * dayMs))
      .catch((error: unknown) =>
        this.stores.log.warn({ event: 'days-fault', err: error }, 'old failed calls could not be forgotten; trying again in an hour'),
      );
  }

  async #keep(table: string, setting: string, days: number): Promise<void> {
    const { database, log } = this.stores;
    try {
      const [kept] = await database.$queryRaw<{ dropped: number }[]>`SELECT keep_days(${table}, ${days}::int) AS dropped`;
      if (kept && kept.dropped > 0)
        log.info({ event: 'days-dropped', table, days: kept.dropped }, `days of ${table} are older than ${setting} and were dropped`);
    } catch (error) {
      log.warn({ event: 'days-fault', table, err: error }, `old days of ${table} could not be dropped; trying again in an hour`);
    }
  }
}
