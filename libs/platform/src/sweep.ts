import type { Logger } from './logger.js';
import { Rounds } from './rounds.js';

/**
 * Does some work now, and again about a minute after it has ended, until it is stopped. Work that fails is logged and tried again after a minute.
 * Several processes may do it at the same time.
 * @param name of the work, for the log
 */
export function startSweep(name: string, work: () => Promise<void>, log: Logger): Rounds {
  const rounds = new Rounds({
    everyMs: 60_000,
    round: work,
    onFault: (error) =>
      log.warn({ event: 'sweep-failed', sweep: name, err: error }, `the sweep of ${name} failed; tried again in a minute`),
  });
  rounds.start();
  rounds.nudge();
  return rounds;
}
