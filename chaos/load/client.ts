import { hash } from 'node:crypto';
import type { CallLog } from '../history/call-log.js';
import type { RequestRecord } from '../history/history.js';
import { parseEnvelope, parseJson, type AnswerEnvelope } from './wire.js';

export interface ClientOptions {
  readonly urls: readonly string[];
  /** Of the users that call, in turns. */
  readonly apiKeys: readonly string[];
}

export interface Ask {
  readonly what: RequestRecord['what'];
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** After this the request counts as hung. */
  readonly withinMs: number;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly envelope: AnswerEnvelope | null;
}

/** What came instead of an answer. */
export type NoAnswer = 'refused' | 'cut' | 'hung';

export type Streamed = { readonly stream: ReadableStream<Uint8Array> } | Answer | NoAnswer;

interface Watch {
  readonly gateway: number;
  readonly late: AbortController;
  readonly onIdle: () => void;
}

/** A gateway sends a comment at least every 15 s. */
const idleTimeoutMs = 35_000;

/** HTTP client for several gateways. It records every request in the call's log and does not retry. */
export class Client {
  readonly #options: ClientOptions;
  readonly #open: number[];

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#open = options.urls.map(() => 0);
  }

  get gateways(): number {
    return this.#options.urls.length;
  }

  /** Requests and streams that wait at a gateway now. */
  openAt(gateway: number): number {
    return this.#open[gateway] ?? 0;
  }

  async json(log: CallLog, gateway: number, ask: Ask): Promise<Answer | NoAnswer> {
    const answer = await this.stream(log, gateway, ask);
    if (typeof answer === 'object' && 'stream' in answer) throw new TypeError('A stream where JSON was asked for');
    return answer;
  }

  /** The answer; or, when it is an event stream, its bytes. A stream must be read to its end. */
  async stream(log: CallLog, gateway: number, ask: Ask): Promise<Streamed> {
    const at = Date.now();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), ask.withinMs);
    this.#count(gateway, 1);
    let streaming = false;
    const note = (rest: Pick<RequestRecord, 'answer' | 'isEnvelope' | 'code'>) =>
      log.request({ at, ms: Date.now() - at, gateway, what: ask.what, ...rest });
    try {
      const response = await fetch(`${this.#options.urls[gateway]}${ask.path}`, {
        method: ask.method,
        headers: {
          authorization: `Bearer ${this.apiKeyOf(log)}`,
          ...(ask.body && { 'content-type': 'application/json' }),
          ...ask.headers,
        },
        ...(ask.body && { body: JSON.stringify(ask.body) }),
        signal: late.signal,
      });
      if (response.body && response.headers.get('content-type')?.startsWith('text/event-stream')) {
        note({ answer: response.status });
        streaming = true;
        const watched = this.#watched(response.body, { gateway, late, onIdle: () => note({ answer: 'hung' }) });
        return { stream: ReadableStream.from(watched) };
      }
      const text = await response.text();
      const body = text === '' ? undefined : parseJson(text);
      const envelope = parseEnvelope(body);
      note({
        answer: response.status,
        ...(!response.ok && { isEnvelope: envelope?.success === false }),
        ...(envelope?.error && { code: envelope.error.code }),
      });
      return { status: response.status, body, envelope };
    } catch (error) {
      const answer = late.signal.aborted ? 'hung' : isRefused(error) ? 'refused' : 'cut';
      note({ answer });
      return answer;
    } finally {
      clearTimeout(timer);
      if (!streaming) this.#count(gateway, -1);
    }
  }

  /** The same for all calls of one user. */
  apiKeyOf({ user }: Pick<CallLog, 'user'>): string {
    const { apiKeys } = this.#options;
    return apiKeys[Number.parseInt(hash('sha256', user, 'hex').slice(0, 8), 16) % apiKeys.length] ?? '';
  }

  /** A stream that is cut just ends: its reader sees that the last event is missing. */
  async *#watched(body: AsyncIterable<Uint8Array>, { gateway, late, onIdle }: Watch): AsyncGenerator<Uint8Array> {
    const timer = setTimeout(() => {
      onIdle();
      late.abort();
    }, idleTimeoutMs);
    try {
      for await (const chunk of body) {
        timer.refresh();
        yield chunk;
      }
    } catch {
      // The reader will come back with its last id.
    } finally {
      clearTimeout(timer);
      this.#count(gateway, -1);
    }
  }

  #count(gateway: number, by: number): void {
    this.#open[gateway] = this.openAt(gateway) + by;
  }
}

/** The connection was refused, so the request had no effect. */
function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}
