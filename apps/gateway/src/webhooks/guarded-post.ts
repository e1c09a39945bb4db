// The only way in which the gateway requests addresses that tenants give. It checks the address, and what its name resolves to at the
// moment of connecting; follows no redirect, and reads nothing of the answer but its status and how long to wait.
import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Agent } from 'undici';
import { AddressRefused, urlViolation, type AddressRules } from '#lib/platform';
import type { TryAnswer } from './verdict.js';

/**
 * Of a whole try.
 * @limit a tenant: time that a receiver has for its answer; the delivery is tried again
 */
const mostPostMs = 15_000;
/** Of an answer's body, which nobody reads: more closes the connection. */
const mostBodyBytes = 16_384;

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends to addresses that obey the rules. */
export class GuardedPosts implements OnApplicationShutdown {
  readonly #rules: AddressRules;
  #agent: Promise<Agent> | null = null;

  constructor(rules: AddressRules) {
    this.#rules = rules;
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  /** Never rejects: what went wrong is in the answer. No span of whoever asks for it has the address, which may be a secret. */
  async send(post: Post): Promise<TryAnswer> {
    return context.with(ROOT_CONTEXT, async () => this.#send(post).catch(unanswered));
  }

  async #send({ url, headers, body }: Post): Promise<TryAnswer> {
    const fault = urlViolation(new URL(url), this.#rules);
    if (fault) throw new AddressRefused(fault);
    const agent = await (this.#agent ??= agentFor(this.#rules));
    const { origin, pathname, search } = new URL(url);
    const signal = AbortSignal.timeout(mostPostMs);
    const answer = await agent.request({ origin, path: pathname + search, method: 'POST', headers, body, signal });
    void answer.body.dump({ limit: mostBodyBytes }).catch(() => undefined);
    const retryAfter = answer.headers['retry-after'];
    const isFine = answer.statusCode >= 200 && answer.statusCode < 300;
    return {
      status: answer.statusCode,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      error: isFine ? null : `it answered ${answer.statusCode}`,
    };
  }
}

/** Loaded when it is first needed: many gateways have no webhooks. */
async function agentFor(rules: AddressRules): Promise<Agent> {
  return (await import('./post-agent.js')).postAgent(rules, mostPostMs);
}

/** What went wrong, without anything that the receiver has said. */
function unanswered(error: unknown): TryAnswer {
  return { status: null, retryAfter: null, error: wordsFor(error) };
}

function wordsFor(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (cause instanceof AddressRefused) return cause.message;
    if (cause.name === 'TimeoutError' || cause.name === 'HeadersTimeoutError') return `no answer within ${mostPostMs / 1_000} seconds`;
    if (cause.name === 'ConnectTimeoutError') return 'no connection within 10 seconds';
    if ('code' in cause && typeof cause.code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(cause.code)) return `no answer: ${cause.code}`;
  }
  return error instanceof Error ? `no answer: ${error.name}` : 'no answer';
}
