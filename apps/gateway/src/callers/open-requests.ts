import type { ServerResponse } from 'node:http';
import { Refusal, type Caller } from '#lib/contracts';
import { metric } from '#lib/transport';

const retryAfterMs = 1_000;

/**
 * Counts the requests that each credential has open at this gateway: calls, waits and streams. Rate limits bound how many begin.
 * This bounds how many are open at once, so that no caller takes all sockets.
 */
export class OpenRequests {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a request until its response is closed. Throws RATE_LIMITED. */
  admit({ credentialId }: Caller, response: ServerResponse): void {
    // The client left while its credential was looked up.
    if (response.closed) return;
    const open = this.#counts.get(credentialId) ?? 0;
    if (open >= this.#most) {
      metric.shedCalls.inc({ reason: 'OPEN_REQUESTS' });
      const message = `This credential has reached its limit of open requests here (${this.#most}); end some of them first`;
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
