import { onceASecond, type Logger } from '#lib/platform';
import type { Sink } from './sink.js';

/** Holds what a sink carries, and writes it every so often: one write at a time, the last one at the end. */
export abstract class SinkWriter<Event> {
  readonly #sink: Sink<Event>;
  readonly #everyMs: number;
  /** Logs a fault, at most once a second. */
  protected readonly report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #detach: (() => void) | undefined;
  #writing: Promise<void> | null = null;

  /** @param fault what a failed write is called in the log, and what it says */
  constructor(
    sink: Sink<Event>,
    everyMs: number,
    fault: { readonly event: string; readonly message: string; readonly log: Pick<Logger, 'warn'> },
  ) {
    this.#sink = sink;
    this.#everyMs = everyMs;
    this.report = onceASecond((error: unknown) => fault.log.warn({ event: fault.event, err: error }, fault.message));
  }

  start(): void {
    this.#detach = this.#sink.attach((event) => this.hold(event));
    this.#timer = setInterval(() => void this.flush(), this.#everyMs).unref();
  }

  /** Writes what is held, for the last time. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#detach?.();
    await this.#writing;
    await this.flush();
  }

  /** Writes what is held. What could not be written is held on. */
  async flush(): Promise<void> {
    this.#writing ??= this.write().finally(() => (this.#writing = null));
    await this.#writing;
  }

  protected abstract hold(event: Event): void;

  /** Never rejects: it reports a fault, and holds on what the next write should take. */
  protected abstract write(): Promise<void>;
}
