import type { BeforeApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Database, Logger } from '#lib/platform';

const everyMs = 3_600_000;

/** Makes the days of the audit ahead, and drops those whose time is over. Every gateway does it, one at a time; once more does no harm. */
export class AuditKeeper implements OnModuleInit, BeforeApplicationShutdown {
  readonly #database: Pick<Database, '$queryRaw'>;
  readonly #days: number;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #timer: NodeJS.Timeout | undefined;
  #keeping: Promise<void> | undefined;

  constructor(database: Pick<Database, '$queryRaw'>, days: number, log: Pick<Logger, 'info' | 'warn'>) {
    this.#database = database;
    this.#days = days;
    this.#log = log;
  }

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
    try {
      const [kept] = await this.#database.$queryRaw<{ dropped: number }[]>`SELECT keep_audit(${this.#days}::int) AS dropped`;
      if (kept && kept.dropped > 0)
        this.#log.info({ event: 'audit-dropped', days: kept.dropped }, 'days of the audit are older than AUDIT_DAYS and were dropped');
    } catch (error) {
      this.#log.warn({ event: 'audit-fault', err: error }, 'old days of the audit could not be dropped; trying again in an hour');
    }
  }
}
