// A caller of the gateway: plain HTTP, every answer read whole, bodies checked by a schema where their fields are used.
import type { z } from 'zod';
import { EventReader } from './event-reader.js';
import { envelopeShape, type EnvelopeShape } from './wire-shapes.js';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON body; undefined when there is none. */
  readonly body: unknown;
  /** The body, which must have this shape. */
  readonly as: <Schema extends z.ZodType>(schema: Schema) => z.output<Schema>;
}

export interface EnvelopeReply extends Reply {
  readonly envelope: EnvelopeShape;
}

interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, with a content type of the caller's own. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

const timeoutMs = 60_000;

export class HttpCaller {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param key sent as the bearer token; null sends none */
  constructor(base: string, key: string | null, headers: Readonly<Record<string, string>> = {}) {
    this.#base = base;
    this.#headers = key === null ? headers : { authorization: `Bearer ${key}`, ...headers };
  }

  /** The same caller with more headers. */
  with(headers: Readonly<Record<string, string>>): HttpCaller {
    return new HttpCaller(this.#base, null, { ...this.#headers, ...headers });
  }

  /** The same caller at another gateway. */
  at(base: string): HttpCaller {
    return new HttpCaller(base, null, this.#headers);
  }

  async request(path: string, options: RequestOptions = {}): Promise<Reply> {
    const response = await this.#send(path, options);
    const text = await response.text();
    const body: unknown = isJson(response) && text ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, body, as: (schema) => schema.parse(body) };
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.request(path, { headers });
  }

  async post(path: string, json: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.request(path, { method: 'POST', json, headers });
  }

  async delete(path: string): Promise<Reply> {
    return this.request(path, { method: 'DELETE' });
  }

  /** Calls a tool at the unified door; the answer must be an envelope. */
  async call(tool: string, params: unknown, headers: Readonly<Record<string, string>> = {}): Promise<EnvelopeReply> {
    const reply = await this.post(`/tools/${tool}`, params, headers);
    return { ...reply, envelope: reply.as(envelopeShape) };
  }

  /** Opens an event stream. Throws when the answer is not one. */
  async stream(path: string, options: RequestOptions = {}): Promise<EventReader> {
    const controller = new AbortController();
    const response = await this.#send(path, {
      ...options,
      headers: { accept: 'text/event-stream', ...options.headers },
      signal: controller.signal,
    });
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw new Error(`${path} gave no stream: ${response.status} ${await response.text()}`);
    return new EventReader(response, controller);
  }

  #send(path: string, { method = 'GET', headers, json, raw, signal }: RequestOptions): Promise<Response> {
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
    return fetch(this.#base + path, {
      method,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...this.#headers, ...headers },
      redirect: 'manual',
      signal: signal ?? AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body }),
    });
  }
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('application/json') ?? false;
}
