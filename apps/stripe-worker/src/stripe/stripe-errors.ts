// What Stripe answered, in our words. Its own text may hold account data, hosts or keys, so it goes nowhere.
import { Failure, retryAfterMs } from '#lib/worker';
import Stripe from 'stripe';

/** Stripe's no to this request; trying again would not change it. */
export class StripeRefusal extends Error {
  override readonly name = 'StripeRefusal';
  /** `account` it has no such account, or not for this · `key` the key may not · `urls` an address that it does not take */
  readonly about: 'account' | 'key' | 'urls';

  constructor(about: StripeRefusal['about'], message: string) {
    super(message);
    this.about = about;
  }
}

const ourUrls = ['return_url', 'refresh_url'];

/** The failure or refusal behind whatever the stripe package threw (ST-09, ST-28, ST-38, ST-40). */
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
  // Something between us and Stripe answered in its place; a redirect is not followed, and would come again.
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

/** For whoever asks Stripe about it; a header of theirs, so only its known form is kept. */
function requestIdOf(id: string | undefined): string {
  return id !== undefined && /^req_[A-Za-z0-9]{1,40}$/.test(id) ? ` (${id})` : '';
}
