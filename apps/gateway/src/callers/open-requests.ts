import type { ServerResponse } from 'node:http';
import { type OnApplicationShutdown, type OnModuleInit, Inject, Injectable } from '@nestjs/common';
import { Refusal, type Caller } from '#lib/contracts';
import type { Metrics } from '#lib/transport';
import { Authenticator } from './authenticator.js';
import { Stores } from '../stores.js';

const retryAfterMs = 1_000;
const sweepMs = 1_000;

interface OpenRequest {
  readonly caller: Caller;
  readonly end: (reason: Refusal) => void;
}

/**
 * The requests that each credential has open at this gateway: calls, waits and streams. Rate limits bound how many begin. This
 * bounds how many are open at once, so that no caller takes all sockets, and ends them with their credential.
 */
@Injectable()
export class OpenRequests implements OnModuleInit, OnApplicationShutdown {
  readonly #open = new Map<string, Set<OpenRequest>>();
  #timer: NodeJS.Timeout | undefined;
  #isSweeping = false;

  constructor(
    @Inject(Stores) private readonly stores: {
      readonly settings: Pick<Stores['settings'], 'OPEN_REQUESTS_PER_CREDENTIAL'>;
      readonly metrics: Pick<Metrics, 'shedCalls'>;
    },
    @Inject(Authenticator) private readonly credentials: Pick<Authenticator, 'check'>,
  ) {}

  get #most(): number {
    return this.stores.settings.OPEN_REQUESTS_PER_CREDENTIAL;
  }

  onModuleInit(): void {
    this.#timer = setInterval(() => void this.sweep(), sweepMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  /** Whether one more request of the credential would be admitted. */
  hasPlace({ credentialId }: Caller): boolean {
    return (this.#open.get(credentialId)?.size ?? 0) < this.#most;
  }

  /**
   * Counts a request until its response is closed. Throws RATE_LIMITED.
   * @param end called when the credential ends first
   * @returns counts it no longer
   */
  admit(caller: Caller, response: ServerResponse, end: OpenRequest['end']): () => void {
    // The client left while its credential was looked up.
    if (response.closed) return () => undefined;
    const ofCredential = this.#open.get(caller.credentialId) ?? new Set();
    if (ofCredential.size >= this.#most) {
      this.stores.metrics.shedCalls.inc({ reason: 'OPEN_REQUESTS' });
      const message = `This credential has reached its limit of open requests here (${this.#most}); end some of them first`;
      throw new Refusal('RATE_LIMITED', message, { retry_after_ms: retryAfterMs });
    }
    const request = { caller, end };
    this.#open.set(caller.credentialId, ofCredential.add(request));
    const release = (): void => {
      ofCredential.delete(request);
      if (ofCredential.size === 0 && this.#open.get(caller.credentialId) === ofCredential) this.#open.delete(caller.credentialId);
    };
    response.once('close', release);
    return release;
  }

  /** Ends the requests whose credential has ended. Each credential is checked once, however many requests it has. */
  async sweep(): Promise<void> {
    // A slow database must not make sweeps pile up.
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    // Tokens of one user have one id and different ends. Sessions of one key have different ends too.
    const groups = [...this.#open.values()].flatMap((requests) => [
      ...Map.groupBy(requests, ({ caller }) => caller.consoleSession ?? caller.credentialEndsAt).values(),
    ]);
    await Promise.all(groups.map((requests) => this.#check(requests)));
    this.#isSweeping = false;
  }

  async #check(requests: readonly OpenRequest[]): Promise<void> {
    const [first] = requests;
    if (!first) return;
    try {
      await this.credentials.check(first.caller, { isFresh: true });
    } catch (error) {
      // While the key cannot be read, what was let in stays.
      if (error instanceof Refusal && error.error.family === 'UNAUTHORIZED') for (const { end } of requests) end(error);
    }
  }
}
