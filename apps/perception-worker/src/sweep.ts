import type { Logger } from '#lib/platform';

const sweepIntervalMs = 60_000;

/**
 * Does some work now and every minute until it is stopped. Work that fails is logged and tried again after a minute. Several workers
 * may do it at the same time.
 * @param name of the work, for the log
 */
export function startSweep(name: string, work: () => Promise<void>, log: Logger): { readonly stop: () => void } {
  const sweep = () =>
    work().catch((error: unknown) => {
      log.warn({ event: 'sweep-failed', sweep: name, err: error }, `the sweep of ${name} failed; tried again in a minute`);
    });
  const timer = setInterval(() => void sweep(), sweepIntervalMs);
  void sweep();
  return { stop: () => clearInterval(timer) };
}
