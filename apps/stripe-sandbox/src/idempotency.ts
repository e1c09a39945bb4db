// Idempotency as Stripe documents it: an answer is kept once its endpoint has started, errors included. The same key with other
// parameters is an error; the same key while the first request runs is a conflict that may be retried.
import { stripeError, type StripeAnswer } from './stripe-answer.js';

interface KeptAnswer {
  readonly fingerprint: string;
  readonly requestId: string;
  answer: StripeAnswer | null;
}

export class Idempotency {
  readonly #byKey = new Map<string, KeptAnswer>();

  /** The answer for a repeated key, or null if the request is the first with this key and must run. */
  begin(key: string, fingerprint: string, requestId: string): StripeAnswer | null {
    const kept = this.#byKey.get(key);
    if (!kept) {
      this.#byKey.set(key, { fingerprint, requestId, answer: null });
      return null;
    }
    if (kept.fingerprint !== fingerprint)
      return stripeError(400, {
        type: 'idempotency_error',
        message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      });
    if (!kept.answer)
      return stripeError(
        409,
        {
          type: 'idempotency_error',
          code: 'idempotency_key_in_use',
          message: `There is currently another in-progress request using this Idempotent Key (${key}).`,
        },
        { 'stripe-should-retry': 'true' },
      );
    return { ...kept.answer, headers: { ...kept.answer.headers, 'idempotent-replayed': 'true', 'original-request': kept.requestId } };
  }

  keep(key: string, answer: StripeAnswer): void {
    const kept = this.#byKey.get(key);
    if (kept) kept.answer = answer;
  }

  /** Frees a key whose endpoint never started. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }

  clear(): void {
    this.#byKey.clear();
  }
}
