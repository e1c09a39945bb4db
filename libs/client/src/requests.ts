import { requestParts, type CallOptions, type RequestOptions } from './call-request.js';
import { retrying } from './retrying.js';
import { Transport, type TransportOptions } from './transport.js';

export interface InvoqOptions extends TransportOptions {
  /** Tries after the first of what was refused before it ran, or was lost and may be sent again. Default 2. */
  readonly retries?: number;
}

/** What a client sends, and sends again. */
export class Requests {
  readonly transport: Transport;
  readonly #retries: number;

  /** Throws a TypeError when the address is no URL. */
  constructor({ retries = 2, ...options }: InvoqOptions) {
    this.transport = new Transport(options);
    this.#retries = retries;
  }

  /** What was lost is sent again only where a key makes it the same call. */
  retrying<Result>({ idempotencyKey, signal }: CallOptions, work: () => Promise<Result>): Promise<Result> {
    return retrying(work, { times: this.#retries, isRepeatable: idempotencyKey !== undefined, signal });
  }

  get<Body extends object>(path: string, options: RequestOptions = {}): Promise<Body> {
    return this.repeating(options.signal, () => this.transport.json<Body>(path, requestParts(options)));
  }

  /** Reading may be repeated whenever an answer was lost. */
  repeating<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
    return retrying(work, { times: this.#retries, isRepeatable: true, signal });
  }
}
