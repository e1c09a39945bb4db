import type { Logger } from './logger.js';

const restMs = 60_000;

/**
 * Does some work now, and again a minute after it has ended, until it is stopped. Work that fails is logged and tried again after a minute.
 * Several processes may do it at the same time.
 * @param name of the work, for the log
 */
export function startSweep(name: string, work: () => Promise<void>, log: Logger): { readonly stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const sweep = async () => {
    await work().catch((error: unknown) => {
      log.warn({ event: 'sweep-failed', sweep: name, err: error }, `the sweep of ${name} failed; tried again in a minute`);
    });
    if (!isStopped) timer = setTimeout(() => void sweep(), restMs);
  };
  void sweep();
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
