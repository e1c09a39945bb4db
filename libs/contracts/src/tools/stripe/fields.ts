// What the Stripe onboarding contracts have in common.
import { z } from 'zod';
import type { ParameterFault } from '../../errors.js';

/** Only letters and digits follow the prefix: the id becomes a part of a path at Stripe. */
export const accountId = z
  .string()
  .regex(/^acct_[A-Za-z0-9]{1,64}$/, "Parameter 'stripe_account_id' must be acct_ and 1–64 letters or digits")
  .describe('Id of the connected account, acct_…');

/** A merchant or a session by its platform's own id. */
export const platformId = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'Ids have 1–128 letters, digits or _ . : -');

export const requestId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, "Parameter 'request_id' must have 1–128 printable ASCII characters without spaces")
  .optional()
  .describe("The caller's own id of this request; comes back in X-Request-Id and stands in logs and traces.");

/**
 * Where a browser may be sent to: absolute, https, or http on this machine for development. No credentials, and nothing
 * that two URL parsers read differently. Whether the host is one of the tenant's own is asked later.
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

/** Two of the four contracts have a literal for a bad account; every other fault is `invalid_request` (C-40). */
export function badAccountIs(literal: string) {
  return (faults: readonly ParameterFault[]): string =>
    faults.some(({ path, kind }) => path === 'stripe_account_id' && kind !== 'missing') ? literal : 'invalid_request';
}

/** What a call of Stripe may end with, whatever it is about. */
export const stripeFailures = {
  network: 'upstream_error',
  timeout: 'upstream_error',
  'rate-limit': 'rate_limited',
  service: 'upstream_error',
  internal: 'upstream_error',
} as const;

/** Literals for what is found before a handler runs. */
export const stripeNatives = {
  UNAUTHORIZED: 'unauthorized',
  PERMISSION_DENIED: 'unauthorized',
  RATE_LIMITED: 'rate_limited',
  QUOTA_EXCEEDED: 'rate_limited',
  OVERLOADED: 'rate_limited',
} as const;

/**
 * A reset, a refusal to answer and a fault of Stripe's own are tried again, a slow answer is handed back (ST-10, ST-11).
 * The queue is the only one that tries again.
 */
export const stripeRetry = {
  network: { times: 3, baseMs: 200 },
  'rate-limit': { times: 3, baseMs: 200 },
  service: { times: 3, baseMs: 200 },
} as const;

/** Time for one request of Stripe: 3 s unless the installation says otherwise (ST-10, ST-29, ST-39). */
export const stripeTimeout = { timeoutMs: 3_000, timeoutSetting: { name: 'STRIPE_TIMEOUT_MS', min: 2_000, max: 4_000 } } as const;
