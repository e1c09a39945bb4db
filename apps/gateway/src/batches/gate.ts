// How fast and how many: what keeps a batch from being in anybody's way.
import { setTimeout as setTimer } from 'node:timers';
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

/** Calls under way, by how long they take. It begins with the fewest, so that the first ones show how long one takes that does not wait. */
const [fewest, most] = [4, 256];
/** Up to so many times its shortest time a call stands in no queue, and from so many times on it stands in one. */
const [quick, slow] = [2, 3];
/** When no call has ended for so long they are slow ones, and twice as many are under way. */
const quietMs = 1_000;
/**
 * How fast a shortest time is forgotten, by call, while the fewest are under way and are slow all the same: then it is the tool. What calls take
 * while more are under way says nothing, because they wait for each other.
 */
const forgotten = 1.005;

/**
 * How many calls are under way: more as long as they take no longer for it, fewer when they wait for each other. So a batch keeps workers
 * busy, and makes no queue that others would stand in.
 */
export class Window {
  /** Not whole. */
  #limit = fewest;
  #inside = 0;
  #quiet: NodeJS.Timeout | undefined;
  readonly #shortest = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];

  get limit(): number {
    return Math.floor(this.#limit);
  }

  async enter(): Promise<void> {
    while (this.#inside >= this.limit) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        this.#see();
      });
    }
    this.#inside++;
  }

  /** @param tookMs from the beginning of the call to its end; null where that says nothing */
  leave(tool: string, tookMs: number | null): void {
    this.#inside--;
    if (tookMs !== null) this.#learn(tool, Math.max(0.1, tookMs));
    clearTimeout(this.#quiet);
    this.#quiet = undefined;
    this.#wake();
  }

  #widen(): void {
    this.#quiet = undefined;
    this.#limit = Math.min(most, this.#limit * 2);
    this.#wake();
  }

  #wake(): void {
    for (let free = this.limit - this.#inside; free > 0; free--) this.#waiting.shift()?.();
    this.#see();
  }

  /** Sees to the time while somebody waits. */
  #see(): void {
    if (this.#waiting.length > 0) this.#quiet ??= setTimer(() => this.#widen(), quietMs).unref();
  }

  #learn(tool: string, tookMs: number): void {
    const known = this.#shortest.get(tool) ?? tookMs;
    const shortest = Math.min(tookMs, this.limit > fewest ? known : known * forgotten);
    this.#shortest.set(tool, shortest);
    const change = tookMs < quick * shortest ? 1 : tookMs > slow * shortest ? -1 : 0;
    this.#limit = Math.min(most, Math.max(fewest, this.#limit + change / this.#limit));
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
