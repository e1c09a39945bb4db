/** Aborts its signal when nothing has come for `ms`, or with its parent. Each part of a stream starts the time anew. */
export class IdleTimeout implements Disposable {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #onParent = () => this.#controller.abort(this.#parent.reason);
  readonly #timer: NodeJS.Timeout;
  #hasExpired = false;

  constructor(ms: number, parent: AbortSignal) {
    this.#parent = parent;
    this.#timer = setTimeout(() => {
      this.#hasExpired = true;
      this.#controller.abort(new Error('idle'));
    }, ms);
    if (parent.aborted) this.#onParent();
    else parent.addEventListener('abort', this.#onParent);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when the time is up; false when the parent fired or nothing has. */
  get hasExpired(): boolean {
    return this.#hasExpired;
  }

  /** The work's result. Rejects when the signal fires, also where the work ignores the signal. */
  async race<T>(work: PromiseLike<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(this.signal.reason);
    this.signal.addEventListener('abort', onAbort);
    if (this.signal.aborted) onAbort();
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.signal.removeEventListener('abort', onAbort);
    }
  }

  /** The parts of a stream. Throws when the signal fires, also where the source ignores it. Leaving early cancels the stream. */
  async *read<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
    const reader = stream.getReader();
    // Ends a read that waits. Not awaited: a source that hangs would hang its cancellation too.
    const cancel = () => void reader.cancel().catch(() => undefined);
    this.signal.addEventListener('abort', cancel);
    if (this.signal.aborted) cancel();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        this.#timer.refresh();
        yield next.value;
      }
      this.signal.throwIfAborted();
    } finally {
      cancel();
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener('abort', this.#onParent);
    // Requests that are still open end here.
    this.#controller.abort(new Error('disposed'));
  }
}
