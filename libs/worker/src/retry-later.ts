/** Tells the queue when the next attempt may start; its strategy reads the delay from here. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly delayMs: number;

  constructor(code: string, delayMs: number) {
    super(code);
    this.delayMs = delayMs;
  }
}
