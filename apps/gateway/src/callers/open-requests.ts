import type { ServerResponse } from 'node:http';
import { Refusal, type Caller } from '#lib/contracts';
import { metric } from '#lib/transport';

const retryAfterMs = 1_000;

/**
 * Requests of a credential that this gateway serves at the same time: calls, waits and streams alike. Rates bound how many
 * begin; this bounds how many stay, so that no caller takes all sockets.
 */
export class OpenRequests {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a request until its response is closed. Throws RATE_LIMITED. */
  admit({ credentialId }: Caller, response: ServerResponse): void {
    // The client has left while its credential was looked up.
    if (response.closed) return;
    const open = this.#counts.get(credentialId) ?? 0;
    if (open >= this.#most) {
      metric.shedCalls.inc({ reason: 'OPEN_REQUESTS' });
      const message = `This credential has as many requests open here as it may (${this.#most}); end some of them`;
      throw new Refusal('RATE_LIMITED', message, { retry_after_ms: retryAfterMs });
    }
    this.#counts.set(credentialId, open + 1);
    response.once('close', () => this.#leave(credentialId));
  }

  #leave(credentialId: string): void {
    const open = (this.#counts.get(credentialId) ?? 1) - 1;
    if (open === 0) this.#counts.delete(credentialId);
    else this.#counts.set(credentialId, open);
  }
}
