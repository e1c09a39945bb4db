// How fast and how many: what keeps a batch from being in anybody's way.
import { setTimeout } from 'node:timers/promises';

/** How many may be under way at once; the others come in turn. */
export class Room {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async enter(): Promise<Disposable> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isLeft = false;
    return {
      [Symbol.dispose]: () => {
        if (isLeft) return;
        isLeft = true;
        const next = this.#waiting.shift();
        if (next) next();
        else this.#free++;
      },
    };
  }
}

const mostAtOnce = 16;

/**
 * Where calls begin: some at a time, and after a refusal for the moment one by one, until more go through again. So what is refused for a
 * rate is refused once, and not for each that waits.
 */
export class Gate {
  /** How many may be in it at once, not whole. */
  #width = mostAtOnce;
  #inside = 0;
  #closedUntil = 0;
  #nextAt = 0;
  readonly #everyMs: number;
  readonly #waiting: (() => void)[] = [];

  /** @param ratePerS how many may pass in a second; null for any number */
  constructor(ratePerS: number | null) {
    this.#everyMs = ratePerS === null ? 0 : 1_000 / ratePerS;
  }

  /** Does what begins a call. @returns null where the signal fires first: then it is not done */
  async pass<Result>(begin: () => Promise<Result>, signal: AbortSignal): Promise<Result | null> {
    while (this.#inside >= Math.max(1, Math.floor(this.#width))) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inside++;
    try {
      const waitMs = this.#turn();
      if (waitMs > 0) await setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return null;
      const result = await begin();
      this.#width = Math.min(mostAtOnce, this.#width + 0.1);
      return result;
    } finally {
      this.#inside--;
      this.#waiting.shift()?.();
      if (this.#inside + 1 < this.#width) this.#waiting.shift()?.();
    }
  }

  /** Nothing passes for so long. */
  close(ms: number): void {
    this.#width = 1;
    this.#closedUntil = Math.max(this.#closedUntil, performance.now() + ms);
  }

  /** How long the next one waits, in ms. */
  #turn(): number {
    const now = performance.now();
    const at = Math.max(now, this.#closedUntil, this.#nextAt);
    this.#nextAt = at + this.#everyMs;
    return at - now;
  }
}
