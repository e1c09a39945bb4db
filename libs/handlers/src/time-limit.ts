/**
 * A signal that fires after a time, or with its parent. Disposing it releases the timer and the listener at the parent.
 * `AbortSignal.timeout` and `AbortSignal.any` keep both; at thousands of calls a second they would pile up.
 */
export class TimeLimit implements Disposable {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | null;
  readonly #timer: NodeJS.Timeout;
  readonly #onParent = () => this.#controller.abort(this.#parent?.reason);
  #timedOut = false;

  constructor(ms: number, parent: AbortSignal | null = null) {
    this.#parent = parent;
    this.#timer = setTimeout(
      () => {
        this.#timedOut = true;
        this.#controller.abort(new DOMException(`not done in ${ms} ms`, 'TimeoutError'));
      },
      Math.min(Math.max(0, ms), 2 ** 31 - 1),
    );
    if (parent?.aborted) this.#onParent();
    else parent?.addEventListener('abort', this.#onParent);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when the time was up, false when the parent fired or nothing has. */
  get timedOut(): boolean {
    return this.#timedOut;
  }

  /** Fires the signal now. */
  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#parent?.removeEventListener('abort', this.#onParent);
  }
}
