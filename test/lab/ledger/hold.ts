// Barriers: calls are held at a point until the test releases them, so that a kill happens exactly there.

/** Before the effect is asked for and after its answer came (both for `witness` calls of lab_effect); around the effect itself; an attempt. */
export type HoldPoint = 'before-call' | 'before-effect' | 'after-effect' | 'after-response' | 'attempt';

export interface HeldCall {
  readonly order: string;
  readonly key: string;
  readonly attempt: number;
  /** Process id of the worker that waits. */
  readonly pid: number;
}

export interface HoldOptions {
  /** Which calls to hold; all by default. */
  readonly match?: (call: HeldCall) => boolean;
}

export class Hold implements Disposable {
  readonly #point: HoldPoint;
  readonly #match: (call: HeldCall) => boolean;
  readonly #calls: HeldCall[] = [];
  readonly #released = Promise.withResolvers<void>();
  readonly #watchers = new Set<() => void>();
  readonly #onRelease: (hold: Hold) => void;

  constructor(point: HoldPoint, { match = () => true }: HoldOptions, onRelease: (hold: Hold) => void) {
    this.#point = point;
    this.#match = match;
    this.#onRelease = onRelease;
  }

  /** The calls that reached the point, in order of arrival. A call that is run again is listed again. */
  get calls(): readonly HeldCall[] {
    return this.#calls;
  }

  /** Resolves once so many calls have come this far; rejects when they do not in time. */
  async reached(count: number, withinMs = 10_000): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.#calls.length >= count) resolve();
    };
    const timer = setTimeout(
      () => reject(new Error(`${this.#calls.length} of ${count} calls reached '${this.#point}' in ${withinMs} ms`)),
      withinMs,
    );
    this.#watchers.add(look);
    try {
      look();
      await promise;
    } finally {
      clearTimeout(timer);
      this.#watchers.delete(look);
    }
  }

  /** Lets the held calls go on, and holds no more. */
  release(): void {
    this.#onRelease(this);
    this.#released.resolve();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  /** For the ledger. */
  async pass(point: HoldPoint, call: HeldCall): Promise<void> {
    if (point !== this.#point || !this.#match(call)) return;
    this.#calls.push(call);
    for (const look of this.#watchers) look();
    await this.#released.promise;
  }
}

export class Holds {
  readonly #holds = new Set<Hold>();

  place(point: HoldPoint, options: HoldOptions = {}): Hold {
    const hold = new Hold(point, options, (released) => this.#holds.delete(released));
    this.#holds.add(hold);
    return hold;
  }

  async pass(point: HoldPoint, call: HeldCall): Promise<void> {
    await Promise.all([...this.#holds].map((hold) => hold.pass(point, call)));
  }

  releaseAll(): void {
    for (const hold of this.#holds) hold.release();
  }
}
