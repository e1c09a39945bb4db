import type { Files } from '#lib/files';
import type { Logger } from '#lib/platform';

const sweepIntervalMs = 60_000;

/** Removes expired files now and every minute until it is stopped. Several workers may do so at the same time. */
export function startExpirySweep(files: Pick<Files, 'removeExpired'>, log: Logger): { readonly stop: () => void } {
  const sweep = async (): Promise<void> => {
    try {
      const removed = await files.removeExpired(new Date());
      if (removed > 0) log.info({ event: 'files-swept', removed }, 'expired files removed');
    } catch (error) {
      log.warn({ event: 'sweep-failed', err: error }, 'expired files could not be removed; tried again in a minute');
    }
  };
  const timer = setInterval(() => void sweep(), sweepIntervalMs);
  void sweep();
  return { stop: () => clearInterval(timer) };
}
