import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { onceASecond, productVersion } from '#lib/platform';
import { Infrastructure } from './infrastructure.js';
import { JobProcessor } from './process-job.js';

const everyMs = 5_000;

/** Says every five seconds that this worker is there, for people who look at the workers. Nothing depends on it. */
@Injectable()
export class Heartbeat {
  readonly #id = randomUUID();
  readonly #since = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  readonly #report = onceASecond((error: unknown) =>
    this.infrastructure.log.warn({ event: 'heartbeat-fault', err: error }, 'this worker could not say that it is there'),
  );
  #timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(Infrastructure) private readonly infrastructure: Infrastructure,
    @Inject(JobProcessor) private readonly processor: Pick<JobProcessor<object>, 'running'>,
  ) {}

  /** Resolves when it was said for the first time. Wait for Redis before: what is said to a connection that is not there is lost. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.beat(), everyMs).unref();
    await this.beat();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const { presence, domain } = this.infrastructure;
    await presence.leave({ domain: domain.name, id: this.#id }).catch(this.#report);
  }

  async beat(): Promise<void> {
    const { presence, domain, concurrency } = this.infrastructure;
    const { pid } = process;
    const worker = {
      id: this.#id,
      domain: domain.name,
      version: productVersion(),
      host: hostname(),
      pid,
      running: this.processor.running,
      concurrency,
      since: this.#since,
    };
    await presence.announce(worker).catch(this.#report);
  }
}
