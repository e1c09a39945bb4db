// How fast and how many: what keeps a batch from being in anybody's way.
import { setTimeout as setTimer } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import type { JobTimes } from '../../calls/job-call.js';

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

/** Calls under way. It begins with few, so that the first ones show how long one waits that waits for no other. */
const [fewest, first, most] = [1, 4, 256];
/** Up to so many times the shortest wait a call stands in no queue, and from so many times on it stands in one. */
const [quick, slow] = [1.25, 1.75];
/** What a wait may be longer than the shortest, in ms: hardly anything while somebody else waits for an answer. What goes in larger groups costs less. */
const rooms = { beside: { quickMs: 0.5, slowMs: 1.5 }, alone: { quickMs: 40, slowMs: 80 } } as const;
/** Parts of its own time that a call may wait, too: of one that runs long, few come in a second, however many are under way. */
const [quickShare, slowShare] = [0.125, 0.25];
/** When no call has ended for so long they are slow ones, and twice as many are under way. */
const quietMs = 1_000;
/**
 * How fast a shortest wait is forgotten, by call, while the fewest are under way and wait all the same: then it is for others. What calls wait
 * while more are under way says nothing, because they wait for each other.
 */
const forgotten = 1.005;

/**
 * How many calls are under way: more as long as they wait no longer for it, fewer when they wait for each other. So a batch keeps workers
 * busy, and makes no queue that others would stand in. There is a number for when others wait for answers, and one for when nobody does.
 */
export class Window {
  /** Not whole. */
  readonly #limits = { alone: first, beside: first };
  /** Until a call has waited, each that has not makes room for one more while nobody is beside it. */
  #isStarting = true;
  readonly #isAlone: () => boolean;
  #inside = 0;
  #quiet: NodeJS.Timeout | undefined;
  readonly #shortest = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];

  /** @param isAlone whether nobody else waits for answers of this gateway now */
  constructor(isAlone: () => boolean) {
    this.#isAlone = isAlone;
  }

  get limit(): number {
    return Math.floor(this.#limits[this.#now]);
  }

  get #now(): 'alone' | 'beside' {
    return this.#isAlone() ? 'alone' : 'beside';
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

  /** @param times null where they are not known */
  leave(tool: string, times: JobTimes | null): void {
    this.#inside--;
    if (times) this.#learn(tool, { waitedMs: Math.max(0.1, times.waitedMs), ranMs: times.ranMs });
    clearTimeout(this.#quiet);
    this.#quiet = undefined;
    this.#wake();
  }

  #widen(): void {
    this.#quiet = undefined;
    const now = this.#now;
    this.#limits[now] = Math.min(most, this.#limits[now] * 2);
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

  #learn(tool: string, { waitedMs, ranMs }: JobTimes): void {
    const now = this.#now;
    const limit = this.#limits[now];
    const known = this.#shortest.get(tool) ?? waitedMs;
    const shortest = Math.min(waitedMs, limit > fewest ? known : known * forgotten);
    this.#shortest.set(tool, shortest);
    const { quickMs, slowMs } = rooms[now];
    const isQuick = waitedMs < Math.max(quick * shortest, shortest + Math.max(quickMs, quickShare * ranMs));
    const isSlow = waitedMs > Math.max(slow * shortest, shortest + Math.max(slowMs, slowShare * ranMs));
    if (now === 'alone' && !isQuick) this.#isStarting = false;
    const step = now === 'alone' && this.#isStarting ? 1 : 1 / limit;
    const change = isQuick ? step : isSlow ? -step : 0;
    this.#limits[now] = Math.min(most, Math.max(fewest, limit + change));
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
