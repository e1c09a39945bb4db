import { Keys, requestConnection } from '#lib/transport';

/** How many invocations are open, from Redis itself. */
export class OpenCount implements Disposable {
  readonly #redis;
  readonly #key = new Keys('invoq').open('profile');

  constructor(url: string) {
    this.#redis = requestConnection(url);
    // It is away on purpose.
    this.#redis.on('error', () => undefined);
  }

  async read(): Promise<number> {
    return this.#redis.zcard(this.#key).catch(() => 0);
  }

  [Symbol.dispose](): void {
    this.#redis.disconnect();
  }
}
