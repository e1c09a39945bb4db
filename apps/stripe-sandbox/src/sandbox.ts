// A local Stripe: the part of Stripe's HTTP API that the product uses, a ledger of requests and links, and a door for injecting faults.
// Links are on Stripe's own domain and lead nowhere.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoAccounts } from './accounts.js';
import { control } from './control.js';
import { Faults } from './faults.js';
import { parseForm } from './form.js';
import { Idempotency } from './idempotency.js';
import { ApiKeys } from './api-keys.js';
import { Ledger } from './ledger.js';
import { send } from './send.js';
import { answerOf } from './stripe-api.js';
import { stripeError, type StripeAnswer } from './stripe-answer.js';

const maxBodyBytes = 65_536;

export class StripeSandbox implements AsyncDisposable {
  readonly accounts = demoAccounts();
  readonly faults = new Faults();
  readonly idempotency = new Idempotency();
  readonly keys = new ApiKeys();
  readonly ledger = new Ledger();
  /** Part of every link, so that leaked links can be found. */
  marker = '';
  /** Delay of every answer, in ms. */
  latencyMs = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(port = 0): Promise<StripeSandbox> {
    const server = createServer({ keepAliveTimeout: 65_000 });
    const sandbox = new StripeSandbox(server);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return sandbox;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('The sandbox does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Clears everything except accounts and keys. */
  reset(): void {
    this.faults.clear();
    this.idempotency.clear();
    this.ledger.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://sandbox');
    if (pathname === '/healthz') return void response.end('{}');
    const text = await textOf(request);
    if (pathname.startsWith('/_sandbox/')) return control(this, { method: request.method ?? '', path: pathname, text }, response);
    const call = {
      at: Date.now(),
      method: request.method ?? '',
      path: pathname,
      parameters: parseForm(text),
      idempotencyKey: headerOf(request, 'idempotency-key'),
      key: secretOf(request).slice(-8),
      version: headerOf(request, 'stripe-version'),
      requestId: `req_${randomBytes(7).toString('hex')}`,
    };
    this.ledger.calls.push(call);
    const fault = this.faults.next(`${call.method} ${call.path}`, accountIn(call));
    const waitMs = this.latencyMs + (fault?.kind === 'delay' ? fault.ms : 0);
    if (waitMs > 0) await sleep(waitMs);
    const answer = this.#answer(request, call, fault);
    const headers = {
      'request-id': call.requestId,
      ...(call.version !== null && { 'stripe-version': call.version }),
      ...(call.idempotencyKey !== null && { 'idempotency-key': call.idempotencyKey }),
      ...answer.headers,
    };
    await send(response, { ...answer, headers }, fault);
  }

  /** The answer to a request: faults first, then the key, then idempotency, then the endpoint. */
  #answer(request: IncomingMessage, call: Ledger['calls'][number], fault: ReturnType<Faults['next']>): StripeAnswer {
    if (fault?.kind === 'rate-limit')
      return stripeError(
        429,
        { code: 'rate_limit', message: 'Request rate limit exceeded. Contact sales@stripe.com with sk_live_4711.' },
        {
          'stripe-rate-limited-reason': 'global-rate',
          ...(fault.retryAfter !== undefined && { 'retry-after': fault.retryAfter }),
          ...fault.headers,
        },
      );
    if (fault && ['reset-before', 'hang', 'redirect', 'html', 'wrong-shape', 'huge', 'gzip-bomb'].includes(fault.kind))
      return { status: 200, body: {} };
    const refused = this.keys.refuse(secretOf(request), call.method);
    if (refused) return refused;
    const injected =
      fault?.kind === 'status'
        ? stripeError(
            fault.status,
            {
              type: fault.status >= 500 ? 'api_error' : 'invalid_request_error',
              message: 'An unknown error occurred; see internal host db-7 (sk_live_4711)',
              ...(fault.code !== undefined && { code: fault.code }),
            },
            fault.headers,
          )
        : null;
    if (injected && fault?.kind === 'status' && !fault.saved) return injected;
    if (call.method !== 'POST' || call.idempotencyKey === null) return injected ?? this.#run(call);
    const fingerprint = JSON.stringify([call.method, call.path, call.parameters]);
    const kept = this.idempotency.begin(call.idempotencyKey, fingerprint, call.requestId);
    if (kept) return kept;
    const answer = injected ?? withForeignOrigin(this.#run(call), fault);
    this.idempotency.keep(call.idempotencyKey, answer);
    return answer;
  }

  #run(call: Ledger['calls'][number]): StripeAnswer {
    return answerOf(call, { accounts: this.accounts, ledger: this.ledger, marker: this.marker });
  }
}

/** The account in the path or among the parameters; empty when there is none. */
function accountIn({ path, parameters }: Ledger['calls'][number]): string {
  const named = /^\/v1\/accounts\/([^/]+)/.exec(path)?.[1] ?? parameters['account'];
  return typeof named === 'string' ? named : '';
}

/** Moves the link of an answer to another origin, for the fault `foreign-link`. */
function withForeignOrigin(answer: StripeAnswer, fault: ReturnType<Faults['next']>): StripeAnswer {
  if (fault?.kind !== 'foreign-link' || !('url' in answer.body)) return answer;
  const { pathname } = new URL(String(answer.body.url));
  return { ...answer, body: { ...answer.body, url: fault.origin + pathname } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

/** The API key, from a bearer token or from Basic authentication with the key as user name, as in `curl -u key:`. */
function secretOf(request: IncomingMessage): string {
  const [scheme = '', value = ''] = (request.headers.authorization ?? '').split(' ');
  if (scheme.toLowerCase() === 'basic') return Buffer.from(value, 'base64').toString().split(':')[0] ?? '';
  return value;
}
