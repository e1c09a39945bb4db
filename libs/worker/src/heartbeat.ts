import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { DomainName } from '#lib/contracts';
import { onceASecond, productVersion, type Logger } from '#lib/platform';
import type { WorkerPresence } from '#lib/transport';

const everyMs = 5_000;

interface HeartbeatParts {
  readonly presence: Pick<WorkerPresence, 'announce' | 'leave'>;
  readonly domain: DomainName;
  readonly concurrency: number;
  /** Attempts that run now. */
  readonly running: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Says every five seconds that this worker is there, for people who look at the workers. Nothing depends on it. */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  readonly #id = randomUUID();
  readonly #since = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.#report = onceASecond((error: unknown) =>
      parts.log.warn({ event: 'heartbeat-fault', err: error }, 'this worker could not say that it is there'),
    );
  }

  /** Resolves when it was said for the first time. Wait for Redis before: what is said to a connection that is not there is lost. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.beat(), everyMs).unref();
    await this.beat();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const { presence, domain } = this.#parts;
    await presence.leave({ domain, id: this.#id }).catch(this.#report);
  }

  async beat(): Promise<void> {
    const { presence, domain, concurrency, running } = this.#parts;
    const { pid } = process;
    const worker = {
      id: this.#id,
      domain,
      version: productVersion(),
      host: hostname(),
      pid,
      running: running(),
      concurrency,
      since: this.#since,
    };
    await presence.announce(worker).catch(this.#report);
  }
}
