import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.js';
import type { Answer, NoAnswer } from './client.js';

interface RetryPolicyOptions {
  readonly random: Random;
  /** The gateway to begin with. */
  readonly gateway: number;
  readonly gateways: number;
  readonly forMs: number;
}

const longestPauseMs = 1_500;

/** How a good client retries: after a pause, at another gateway when there was no answer, and for a limited time. */
export class RetryPolicy {
  readonly #options: RetryPolicyOptions;
  readonly #until: number;
  #gateway: number;
  #failures = 0;

  constructor(options: RetryPolicyOptions) {
    this.#options = options;
    this.#gateway = options.gateway;
    this.#until = performance.now() + options.forMs;
  }

  get gateway(): number {
    return this.#gateway;
  }

  get isOver(): boolean {
    return performance.now() > this.#until;
  }

  get random(): Random {
    return this.#options.random;
  }

  /** Waits as long as the answer asks, or longer after each failure, with jitter. */
  async pause(answer: Answer | NoAnswer): Promise<void> {
    if (typeof answer !== 'object') this.#gateway = (this.#gateway + 1) % this.#options.gateways;
    this.#failures += 1;
    const asked = typeof answer === 'object' ? answer.envelope?.error?.retry_after_ms : undefined;
    const nominal = asked ?? 50 * 2 ** Math.min(this.#failures, 4);
    await sleep(Math.min(longestPauseMs, nominal) * (0.75 + 0.5 * this.#options.random.next()));
  }
}

/** Whether the same request may succeed later. */
export function isRetryable({ status, envelope }: Answer): boolean {
  return status === 429 || status === 503 || status === 504 || (envelope?.error?.retryable ?? false);
}
