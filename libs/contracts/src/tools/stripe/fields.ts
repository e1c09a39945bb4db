// Fields and rules that the Stripe onboarding contracts share.
import { z } from 'zod';
import type { ParameterFault } from '../../errors.js';

/** Only letters and digits may follow the prefix, because the id becomes part of a URL path at Stripe. */
export const accountId = z
  .string()
  .regex(/^acct_[A-Za-z0-9]{1,64}$/, "Parameter 'stripe_account_id' must be acct_ and 1–64 letters or digits")
  .describe('Id of the connected account, acct_…');

/** The platform's own id of a merchant or a session. */
export const platformId = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'Ids have 1–128 letters, digits or _ . : -');

export const requestId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, "Parameter 'request_id' must have 1–128 printable ASCII characters without spaces")
  .optional()
  .describe("The caller's own id of this request; comes back in X-Request-Id and stands in logs and traces.");

/**
 * An address to which a browser may be redirected: an absolute https URL, or http on this machine for development. It has no credentials
 * and nothing that two URL parsers read differently. The worker checks later that the host belongs to the tenant.
 */
export const returnUrl = z.string().max(2_048).refine(isReturnUrl, 'A return address must be an absolute https URL without credentials');

function isReturnUrl(text: string): boolean {
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text) || !/^https?:\/\/[^/]/i.test(text)) return false;
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '' || url.host === '' || text.includes('@')) return false;
  return url.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

/** A well-formed BCP 47 tag. */
export const locale = z.string().max(35).refine(isLocale, "Parameter 'locale' must be a BCP 47 tag such as en-US");

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** The literal for a malformed account id. Every other fault is `invalid_request` (C-40). */
export function badAccountIs(literal: string) {
  return (faults: readonly ParameterFault[]): string =>
    faults.some(({ path, kind }) => path === 'stripe_account_id' && kind !== 'missing') ? literal : 'invalid_request';
}

/** The literals of failed calls of Stripe. */
export const stripeFailures = {
  network: 'upstream_error',
  timeout: 'upstream_error',
  'rate-limit': 'rate_limited',
  service: 'upstream_error',
  internal: 'upstream_error',
} as const;

/** The literals of errors that are found before a handler runs. */
export const stripeNatives = {
  UNAUTHORIZED: 'unauthorized',
  PERMISSION_DENIED: 'unauthorized',
  RATE_LIMITED: 'rate_limited',
  QUOTA_EXCEEDED: 'rate_limited',
  OVERLOADED: 'rate_limited',
} as const;

/**
 * Connection faults, rate limits and Stripe's own errors are retried; a timeout is answered at once (ST-10, ST-11). Only the queue
 * retries: the Stripe client does not.
 */
export const stripeRetry = {
  network: { times: 3, baseMs: 200 },
  'rate-limit': { times: 3, baseMs: 200 },
  service: { times: 3, baseMs: 200 },
} as const;

/** Time limit of one call: 3 s, or what the installation sets (ST-10, ST-29, ST-39). */
export const stripeTimeout = { timeoutMs: 3_000, timeoutSetting: { name: 'STRIPE_TIMEOUT_MS', min: 2_000, max: 4_000 } } as const;
