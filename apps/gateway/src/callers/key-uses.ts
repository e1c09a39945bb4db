import { type BeforeApplicationShutdown, type OnModuleInit, Inject, Injectable } from '@nestjs/common';
import { onceASecond, type Database, type Logger } from '#lib/platform';
import { Stores } from '../stores.js';

const flushMs = 60_000;
/** Keys that are noted between two writes. */
const mostHeld = 10_000;

/** When each API key was last used, written once a minute: for people who wonder whether a key is still needed. */
@Injectable()
export class KeyUses implements OnModuleInit, BeforeApplicationShutdown {
  readonly #report = onceASecond((error: unknown) =>
    this.stores.log.warn({ event: 'key-uses-fault', err: error }, 'when keys were last used could not be written'),
  );
  readonly #used = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(Stores) private readonly stores: { readonly database: Pick<Database, '$executeRaw'>; readonly log: Pick<Logger, 'warn'> },
  ) {}

  onModuleInit(): void {
    this.#timer = setInterval(() => void this.flush(), flushMs).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  /** @param now epoch ms */
  note(id: string, now: number): void {
    if (this.#used.size < mostHeld || this.#used.has(id)) this.#used.set(id, now);
  }

  /** Writes what was noted. What could not be written is lost: the next use is noted again. */
  async flush(): Promise<void> {
    if (this.#used.size === 0) return;
    const ids = [...this.#used.keys()];
    const times = [...this.#used.values()].map((at) => new Date(at).toISOString());
    this.#used.clear();
    try {
      // In one order, so that two gateways do not wait for each other.
      await this.stores.database.$executeRaw`
        UPDATE api_key SET last_used_at = u.at
        FROM (
          SELECT k.id, v.at FROM unnest(${ids}::text[], ${times}::timestamptz[]) AS v (id, at)
          JOIN api_key k ON k.id = v.id AND (k.last_used_at IS NULL OR k.last_used_at < v.at) ORDER BY k.id FOR UPDATE OF k
        ) u WHERE api_key.id = u.id`;
    } catch (error) {
      this.#report(error);
    }
  }
}
