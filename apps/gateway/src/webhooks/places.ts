interface Place {
  taken: number;
  readonly waiting: Set<() => void>;
}

interface PlacesOptions {
  /** Of each name. */
  readonly most: number;
  /** Work that takes longer gives its place to the next, and goes on. */
  readonly yieldMs: number;
}

/** Work that goes on at the same time, bounded for each name: what is too much waits in turn, and not for what hangs. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #names = new Map<string, Place>();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Null where no place was free within so many ms. */
  async within<Result>(name: string, waitMs: number, work: () => Promise<Result>): Promise<Result | null> {
    const place = this.#names.get(name) ?? { taken: 0, waiting: new Set() };
    this.#names.set(name, place);
    if (place.taken < this.#options.most) place.taken++;
    else if (!(await freed(place, waitMs))) return null;
    let isHeld = true;
    const free = (): void => {
      if (isHeld) this.#free(name, place);
      isHeld = false;
    };
    const timer = setTimeout(free, this.#options.yieldMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      free();
    }
  }

  #free(name: string, place: Place): void {
    const [next] = place.waiting;
    // Whoever waits takes this place.
    if (next) next();
    else if (--place.taken === 0) this.#names.delete(name);
  }
}

async function freed({ waiting }: Place, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isFree: boolean): void => {
      clearTimeout(timer);
      waiting.delete(take);
      resolve(isFree);
    };
    const take = (): void => settle(true);
    const timer = setTimeout(() => settle(false), Math.max(0, waitMs));
    waiting.add(take);
  });
}
