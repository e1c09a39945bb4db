import type { Logger } from './logger.js';

interface ShutdownOptions {
  readonly log: Logger;
  /** In order: stop being ready, stop accepting, finish, close the stores. A step that fails does not stop the next. */
  readonly steps: readonly (readonly [name: string, run: () => Promise<unknown> | void])[];
  /** After this the process ends whatever is still open. */
  readonly deadlineMs: number;
}

/** Ends the process in order at SIGTERM, SIGINT, or when the supervisor that started it is gone. A second signal ends it at once. */
export function shutDownOnSignal({ log, steps, deadlineMs }: ShutdownOptions): void {
  let stopping = false;
  const stop = (why: string) => {
    if (stopping) return process.exit(1);
    stopping = true;
    log.info({ event: 'shutdown', why }, 'stopping');
    setTimeout(() => {
      log.warn(
        { event: 'shutdown-late', deadline_ms: deadlineMs },
        'stopped at the deadline with work still open; it will be taken up again',
      );
      log.flush(() => process.exit(0));
    }, deadlineMs).unref();
    void runInOrder(steps, log).then(() => log.flush(() => process.exit(0)));
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('disconnect', () => stop('supervisor gone'));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ event, err: error }, 'a fault that nothing handled');
      log.flush(() => process.exit(1));
    });
  }
}

/** Runs steps one after the other. One that fails is logged with its name, and the next one runs. */
export async function runInOrder(steps: ShutdownOptions['steps'], log: Pick<Logger, 'error'>): Promise<void> {
  for (const [name, run] of steps) {
    try {
      await run();
    } catch (error) {
      log.error({ event: 'shutdown-step', step: name, err: error }, 'could not stop in order');
    }
  }
}

/** Ends the process, because a Redis that may evict keys loses accepted work. The log says how to configure it. */
export function exitOnEviction(log: Logger, policy: string): void {
  log.fatal(
    { event: 'redis-evicts', policy },
    `Redis may evict keys (maxmemory-policy ${policy}); set it to noeviction: redis-cli CONFIG SET maxmemory-policy noeviction`,
  );
  log.flush(() => process.exit(1));
}
