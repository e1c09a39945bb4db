// Sends exactly what a case writes, and checks of each answer what must hold of all answers.
import { setTimeout as sleep } from 'node:timers/promises';
import { Broken } from '#lib/testing';
import { rawRequest } from '../../test/e2e/raw-request.js';
import { describe, type Answer } from './answer.js';
import { ruleBroken } from './rules.js';

const retries = 3;
const retryAfterMs = 1_000;

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Instead of `json`. Its content type is JSON unless the headers name another. */
  readonly body?: string | Uint8Array;
  /** Statuses of 500 and above that are right here, such as 503 of an upstream that is away; 0 for a connection that is cut. */
  readonly allows?: readonly number[];
}

export interface ClientOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Texts that no answer to this client may hold. */
  readonly mustNotLearn: readonly string[];
}

/** One who calls a gateway. Throws Broken when an answer breaks a rule of all answers. */
export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#options.headers ?? {};
  }

  /** The same client with more headers. */
  with(headers: Readonly<Record<string, string>>): Client {
    return new Client({ ...this.#options, headers: { ...this.headers, ...headers } });
  }

  /** The same client without its credential. */
  withoutCredential(): Client {
    const { authorization: _, ...headers } = this.headers;
    return new Client({ ...this.#options, headers });
  }

  /** The same client at another gateway. */
  at(url: string): Client {
    return new Client({ ...this.#options, url });
  }

  /** @param line method and target as they are sent, such as `GET /%61dmin/queues`; the rest of the line is the target */
  async send(line: string, { headers = {}, json, body, allows = [] }: Sending = {}): Promise<Answer> {
    const method = line.slice(0, line.indexOf(' '));
    const target = line.slice(method.length + 1);
    const content = body ?? (json === undefined ? undefined : JSON.stringify(json));
    const bytes = content === undefined ? null : Buffer.from(content);
    const fields: Record<string, string> = {
      host: new URL(this.url).host,
      connection: 'close',
      ...(bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
      ...this.headers,
      ...headers,
    };
    const head = [`${method} ${target} HTTP/1.1`, ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`)].join('\r\n');
    return this.sendRaw(Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), bytes ?? Buffer.alloc(0)]), { allows });
  }

  /** A whole request in bytes. */
  async sendRaw(request: string | Uint8Array, { allows = [] }: Pick<Sending, 'allows'> = {}): Promise<Answer> {
    let answer = await this.#exchange(request);
    for (let again = 0; again < retries && isPassing(answer) && !allows.includes(answer.status); again++) {
      await sleep(retryAfterMs);
      answer = await this.#exchange(request);
    }
    const fault = ruleBroken(answer, { allows, mustNotLearn: this.#options.mustNotLearn });
    if (fault) throw new Broken(`${fault}: ${describe(answer)}`);
    return answer;
  }

  async #exchange(request: string | Uint8Array): Promise<Answer> {
    const reply = await rawRequest(this.url, request);
    const shown = Buffer.from(request).toString('latin1', 0, 120).split('\r\n')[0] ?? '';
    return { ...reply, body: jsonIn(reply), request: shown };
  }
}

/** A machine that is busy with other things lets tools time out. What was sent is at fault only if it always does. */
function isPassing({ status }: Answer): boolean {
  return status === 503 || status === 504;
}

function jsonIn({ headers, text }: Pick<Answer, 'headers' | 'text'>): unknown {
  if (!headers.get('content-type')?.startsWith('application/json') || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
