import type { WorkerConnection } from './worker-connection.js';

type Candidate = Pick<WorkerConnection, 'credentialId' | 'size' | 'free'>;

/** Keys that are remembered when none of them has a worker any more. */
const mostRemembered = 100;

/**
 * Whose turn it is to run an attempt. Keys take turns, whatever concurrency their workers say: else the one that says the most would get
 * nearly every call. Of the workers of a key it is the one with the largest part of its places free.
 */
export class Turns {
  /** When each key had its last turn. */
  readonly #last = new Map<string, number>();
  #turn = 0;

  /** Undefined while none has a free place. */
  next<Worker extends Candidate>(workers: readonly Worker[]): Worker | undefined {
    const free = workers.filter((worker) => worker.free > 0);
    const [key] = [...new Set(free.map(({ credentialId }) => credentialId))].toSorted((a, b) => this.#lastOf(a) - this.#lastOf(b));
    if (key === undefined) return undefined;
    if (this.#last.size >= mostRemembered) this.#last.clear();
    this.#last.set(key, ++this.#turn);
    const ofKey = free.filter(({ credentialId }) => credentialId === key);
    return ofKey.reduce((best, worker) => (worker.free / worker.size > best.free / best.size ? worker : best));
  }

  #lastOf(key: string): number {
    return this.#last.get(key) ?? 0;
  }
}
