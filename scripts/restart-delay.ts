import type { Exit } from './managed-process.js';

const firstMs = 200;
const longestMs = 5_000;
/** For one that was killed while it started: the next may get further, unless the system kills each for want of memory. */
const longestAfterKillMs = 1_000;
/** A process that ran for this long was stable. */
const stableAfterMs = 30_000;
/** Who sends these wants the process to end. What a process dies of by itself is an exit code, or a signal such as SIGABRT. */
const killing: readonly (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

export interface EndedProcess {
  readonly exit: Exit;
  readonly wasReady: boolean;
  readonly ranMs: number;
}

/** How long one process stays away after each of its ends: longer and longer while it ends by itself, not at all when a running one was killed. */
export class RestartDelay {
  #nextMs = firstMs;

  /** In ms. */
  after({ exit, wasReady, ranMs }: EndedProcess): number {
    // One that is asked to end does so with code 0.
    const wasKilled = exit.code === 0 || killing.includes(exit.signal);
    if (wasReady && wasKilled) {
      this.#nextMs = firstMs;
      return 0;
    }
    if (ranMs > stableAfterMs) this.#nextMs = firstMs;
    const delayMs = Math.min(this.#nextMs, wasKilled ? longestAfterKillMs : longestMs);
    this.#nextMs = Math.min(this.#nextMs * 2, longestMs);
    return delayMs;
  }
}
