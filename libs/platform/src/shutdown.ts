import type { Logger } from './logger.js';

interface ShutdownOptions {
  readonly log: Logger;
  /** In order: stop being ready, stop accepting, finish, close the stores. A step that fails does not stop the next. */
  readonly steps: readonly (readonly [name: string, run: () => Promise<unknown> | void])[];
  /** After this the process ends whatever is still open. */
  readonly deadlineMs: number;
}

/** What this process runs: one app, or the workers of several domains. */
const running: ShutdownOptions[] = [];
let isStopping = false;

/**
 * Ends the process in order at SIGTERM, SIGINT, or when the supervisor that started it is gone. A second signal ends it at once. Several
 * apps in one process each call this: they stop at the same time, and the process ends when all have.
 */
export function shutDownOnSignal(options: ShutdownOptions): void {
  if (running.push(options) > 1) return;
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('disconnect', () => stop('supervisor gone'));
  // It may be gone since before this process could hear of it. Without a supervisor there is no channel, and this is undefined.
  if (process.connected === false) setImmediate(stop, 'supervisor gone');
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      options.log.fatal({ event, err: error }, 'a fault that nothing handled');
      leave(1);
    });
  }
}

function stop(why: string): void {
  if (isStopping) process.exit(1);
  isStopping = true;
  const stopped = running.map((app) => stopApp(app, why));
  setTimeout(() => leave(0), Math.max(...running.map(({ deadlineMs }) => deadlineMs))).unref();
  void Promise.all(stopped).then(() => leave(0));
}

async function stopApp({ log, steps, deadlineMs }: ShutdownOptions, why: string): Promise<void> {
  log.info({ event: 'shutdown', why }, 'stopping');
  const late = setTimeout(
    () =>
      log.warn(
        { event: 'shutdown-late', deadline_ms: deadlineMs },
        'stopped at the deadline with work still open; it will be taken up again',
      ),
    deadlineMs,
  ).unref();
  await runInOrder(steps, log);
  clearTimeout(late);
}

/** Ends the process once what was logged is written. */
function leave(code: number): void {
  void Promise.all(running.map(({ log }) => new Promise((written) => log.flush(written)))).then(() => process.exit(code));
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
export function exitOnEviction(log: Logger, { policy, server }: { readonly policy: string; readonly server: string }): void {
  log.fatal(
    { event: 'redis-evicts', policy, server },
    `Redis (${server}) may evict keys (maxmemory-policy ${policy}); set it to noeviction: redis-cli CONFIG SET maxmemory-policy noeviction`,
  );
  log.flush(() => process.exit(1));
}

/** Ends the process where its user of Redis may not do what it must. The log names each command, and what it was tried on. */
export function exitOnMissingRights(log: Logger, user = 'default') {
  return {
    onMissing: (missing: readonly string[]): void => {
      log.fatal(
        { event: 'redis-rights', user, missing },
        `Redis does not let the user "${user}" do what this process must: ${missing.join('; ')}. Give it these rights (ACL SETUSER); docker-compose.yml has all that are needed`,
      );
      log.flush(() => process.exit(1));
    },
    onFault: (error: unknown): void =>
      log.warn({ event: 'redis-rights-unknown', err: error }, 'Redis did not say what this process may do'),
  };
}
