/**
 * How many attempts a process runs at the same time, over all its queues. A queue that finds no free place waits for one in turn, so a busy
 * queue leaves places to the others.
 */
export class Places {
  #size: number;
  #taken = 0;
  #isClosed = false;
  readonly #waiting: ((entered: boolean) => void)[] = [];

  /** @param size from 0 */
  constructor(size: number) {
    this.#size = size;
  }

  /** Whether a place can be had at once. */
  get isFree(): boolean {
    return !this.#isClosed && this.#taken < this.#size && this.#waiting.length === 0;
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
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    this.#taken -= 1;
    this.#admit();
  }

  /** Runs so many from now on. What runs goes on. */
  resize(size: number): void {
    this.#size = size;
    this.#admit();
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
