/**
 * How many attempts a process runs at the same time, over all its queues. A queue that finds no free place waits for one in turn, so a busy
 * queue leaves places to the others.
 */
export class Places {
  #size: number;
  #taken = 0;
  #isClosed = false;
  readonly #waiting: ((entered: boolean) => void)[] = [];
  readonly #onShort = new Set<() => void>();

  /** @param size from 0 */
  constructor(size: number) {
    this.#size = size;
  }

  /** Whether a place can be had at once. */
  get isFree(): boolean {
    return !this.#isClosed && this.#taken < this.#size && this.#waiting.length === 0;
  }

  /** Whether a place could be had at once, and one more after it. */
  get hasSpare(): boolean {
    return this.isFree && this.#taken + 1 < this.#size;
  }

  /** Whether somebody waits for a place, or more are taken than there are. */
  get isShort(): boolean {
    return this.#waiting.length > 0 || this.#taken > this.#size;
  }

  /** Tells those who keep a place without using it that somebody waits. @returns what ends it */
  onShort(listener: () => void): () => void {
    this.#onShort.add(listener);
    return () => this.#onShort.delete(listener);
  }

  /** Takes a place, unless there is none, somebody waits for it, or it is closed. */
  tryEnter(): boolean {
    if (!this.isFree) return false;
    this.#taken += 1;
    return true;
  }

  /** Waits for a place. @returns false once it is closed */
  async enter(): Promise<boolean> {
    if (this.#isClosed) return false;
    if (this.tryEnter()) return true;
    const entered = new Promise<boolean>((resolve) => this.#waiting.push(resolve));
    for (const tell of this.#onShort) tell();
    return entered;
  }

  leave(): void {
    this.#taken -= 1;
    this.#admit();
  }

  /** Runs so many from now on. What runs goes on. */
  resize(size: number): void {
    this.#size = size;
    this.#admit();
    if (this.isShort) for (const tell of this.#onShort) tell();
  }

  /** Nobody waits any longer, and nobody enters. */
  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }

  #admit(): void {
    while (this.#taken < this.#size) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#taken += 1;
      next(true);
    }
  }
}
