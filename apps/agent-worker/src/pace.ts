import { setTimeout as sleep } from 'node:timers/promises';

/** Text of one write reaches the reader together. Nobody sees a shorter interval; at a longer one the text appears in jerks. */
const minIntervalMs = 10;
const maxIntervalMs = 100;
const intervalMsPerTurn = 0.5;
/** From here on, reading an answer piece by piece costs more than its words may wait. */
const pausedFromMs = 20;
/** The first word of an answer is among its first chunks, and is not kept waiting. */
const firstChunks = 8;

/**
 * How often the turns of this process read from their models and write to their logs: the more are open, the less often. All of them keep
 * to the same ticks of the clock, so what they read at a tick is written at it, and their writes leave in one system call.
 */
export class Pace {
  #open = 0;

  /** One more turn until this is disposed of. */
  open(): Disposable {
    this.#open += 1;
    return { [Symbol.dispose]: () => void (this.#open -= 1) };
  }

  /** The time between two writes of text, 10–100 ms: half a millisecond for each open turn. */
  get intervalMs(): number {
    return Math.min(maxIntervalMs, Math.max(minIntervalMs, this.#open * intervalMsPerTurn));
  }

  /**
   * Waits for the next tick while many turns are open, so that the chunks of a model's answer become fewer: each takes a way of
   * its own through parsers and checks.
   * @param chunks of the answer that were read before
   */
  readonly beforeRead = (chunks: number): Promise<void> | undefined => {
    if (chunks < firstChunks || this.intervalMs < pausedFromMs) return undefined;
    return sleep(untilTick(this.intervalMs));
  };
}

/** Time until the next tick, ms. */
export function untilTick(intervalMs: number): number {
  return intervalMs - (performance.now() % intervalMs);
}
