// Translates errors of Stripe. Its own text may contain account data, hosts or keys, so it is never passed on.
import { Failure, retryAfterMs } from '#lib/handlers';
import Stripe from 'stripe';

/** Stripe refuses the request; a retry would not change that. */
export class StripeRefusal extends Error {
  override readonly name = 'StripeRefusal';
  /** `account`: unknown, or not allowed for this request · `key`: missing permission · `urls`: an address is not accepted */
  readonly about: 'account' | 'key' | 'urls';

  constructor(about: StripeRefusal['about'], message: string) {
    super(message);
    this.about = about;
  }
}

const ourUrls = ['return_url', 'refresh_url'];

/** Translates whatever the stripe package threw (ST-09, ST-28, ST-38, ST-40). @param now epoch milliseconds, for Retry-After dates */
export function translateStripeError(error: unknown, now = Date.now()): Error {
  if (error instanceof Stripe.errors.StripeConnectionError) return error.detail instanceof Failure ? error.detail : noAnswer();
  if (!(error instanceof Stripe.errors.StripeError)) return error instanceof Error ? error : noAnswer();
  const { statusCode = 0, code, param, rawType, headers = {} } = error;
  const message = `Stripe answered ${statusCode}${requestIdOf(error.requestId)}`;
  const advised = headers['stripe-should-retry'];
  const hintMs = retryAfterMs(headers['retry-after'], now);
  const failure = (kind: 'rate-limit' | 'service', retryable: boolean) =>
    new Failure(kind, message, { hintMs, retryable: advised === 'true' || (retryable && advised !== 'false') });

  if (statusCode === 429 || code === 'rate_limit' || code === 'lock_timeout') return failure('rate-limit', true);
  if (statusCode >= 500 || statusCode === 409) return failure('service', true);
  // Not from Stripe: something in between answered. A redirect is not followed and would come again.
  if (statusCode < 400) return failure('service', statusCode < 300);
  if (advised === 'true' || rawType === 'idempotency_error') return failure('service', false);
  if (code === 'account_invalid') return new StripeRefusal('account', message);
  if (statusCode === 401 || statusCode === 403) return new StripeRefusal('key', message);
  if (param !== undefined && ourUrls.includes(param)) return new StripeRefusal('urls', message);
  if (statusCode === 400 || statusCode === 404) return new StripeRefusal('account', message);
  return failure('service', false);
}

function noAnswer(): Failure {
  return new Failure('network', 'no whole answer from Stripe');
}

/** The request id, for support requests to Stripe. Only its known form is kept, because it comes from a header. */
function requestIdOf(id: string | undefined): string {
  return id !== undefined && /^req_[A-Za-z0-9]{1,40}$/.test(id) ? ` (${id})` : '';
}
