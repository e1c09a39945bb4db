// Requests to one gateway.
import type { Envelope } from '#lib/contracts';
import { errorOf, lost } from './invoq-error.js';

export interface TransportOptions {
  /** Address of the gateway. */
  readonly url: string;
  /** API key or JWT. */
  readonly key?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the global one. */
  readonly fetch?: typeof fetch;
}

export interface Wanted {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Any answer. Throws `NETWORK_ERROR` when there is none, and the signal's reason when it fired. */
  async send(path: string, { method = 'GET', body, headers, signal }: Wanted): Promise<Response> {
    const { url, key, fetch: own = fetch } = this.#options;
    try {
      return await own(new URL(path, url.endsWith('/') ? url : `${url}/`), {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key && { authorization: `Bearer ${key}` }),
          ...this.#options.headers,
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw lost(error);
    }
  }

  /** The JSON of a success; an error envelope is thrown. */
  async json<Body>(path: string, wanted: Wanted = {}): Promise<Body> {
    const response = await this.send(path, wanted);
    const body = await this.#read<Body & Envelope>(response, wanted.signal);
    if (!response.ok) throw errorOf(body, response.status);
    return body;
  }

  /** What the gateway writes is typed by its wire contract; whoever speaks through it to something else gets what that says. */
  async #read<Body>(response: Response, signal: AbortSignal | undefined): Promise<Body> {
    try {
      const body: Body = JSON.parse(await response.text());
      return body;
    } catch (error) {
      if (signal?.aborted) throw error;
      throw lost(error);
    }
  }
}
