// HTTP requests to one gateway.
import { connectionLost, isEnvelope, refusalOf } from './invoq-error.js';

export interface TransportOptions {
  /** Address of the gateway, such as `http://127.0.0.1:3000`; it may have a path. */
  readonly url: string;
  /** API key or JWT. */
  readonly key?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the global one. */
  readonly fetch?: typeof fetch;
}

export interface RequestParts {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of a body. */
  readonly content?: { readonly type: string; readonly data: string | Blob };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface JsonAnswer<Body> {
  readonly body: Body;
  readonly headers: Headers;
}

export class Transport {
  readonly #options: TransportOptions;
  readonly #base: URL;

  /** Throws a TypeError when the address is no URL. */
  constructor(options: TransportOptions) {
    this.#options = options;
    this.#base = new URL(options.url.endsWith('/') ? options.url : `${options.url}/`);
  }

  /** Any answer, whatever its status. Throws `NETWORK_ERROR` when there is none, and the signal's reason when it fired. */
  async send(path: string, { method = 'GET', body, content, headers, signal }: RequestParts): Promise<Response> {
    const { key, fetch: request = fetch } = this.#options;
    try {
      return await request(new URL(path, this.#base), {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(content && { 'content-type': content.type }),
          ...(key && { authorization: `Bearer ${key}` }),
          ...this.#options.headers,
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(content && { body: content.data }),
        ...(signal && { signal }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw connectionLost(error, this.#base.origin);
    }
  }

  /** The JSON of a success. Throws InvoqError for every other status. */
  async json<Body extends object>(path: string, parts: RequestParts = {}): Promise<Body> {
    const answer = await this.answer<Body>(path, parts);
    if (!answer) throw connectionLost(new Error('status 304 without a condition'));
    return answer.body;
  }

  /**
   * The JSON and the headers of a success; null for 304. The gateway's answers are typed by its wire contract and not checked again.
   * Throws InvoqError for every other status.
   */
  async answer<Body extends object>(path: string, parts: RequestParts = {}): Promise<JsonAnswer<Body> | null> {
    const response = await this.send(path, parts);
    if (response.status === 304) return null;
    if (!response.ok) throw await this.refusal(response, parts.signal);
    const body: Body | null = parseJson(await this.#text(response, parts.signal));
    if (typeof body !== 'object' || body === null) throw connectionLost(new Error('the answer is no JSON object'));
    return { body, headers: response.headers };
  }

  /** The error of an answer that is no success, also of one that a proxy made in place of the gateway. */
  async refusal(response: Response, signal: AbortSignal | undefined): Promise<Error> {
    const body: unknown = parseJson(await this.#text(response, signal));
    return refusalOf(response, isEnvelope(body) ? body : undefined);
  }

  async #text(response: Response, signal: AbortSignal | undefined): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      if (signal?.aborted) throw error;
      throw connectionLost(error);
    }
  }
}

function parseJson(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
