import { describe, expect, test } from '@jest/globals';
import { coerceQuery } from '../../coerce-query.js';
import { markedPaths, redact } from '../../derive/redaction.js';
import { refusalOf, testErrors, testParameters } from '../../test-parameters.js';
import { validateInput } from '../../validate.js';
import { connectGenerateRelinkUrl } from './connect-generate-relink-url.js';
import { expressDashboardLoginLink } from './express-dashboard-login-link.js';
import { stripeGetAccountStatus } from './stripe-get-account-status.js';
import { supabaseGetMerchantRow } from './supabase-get-merchant-row.js';

const badAccount = "Parameter 'stripe_account_id' must be acct_ and 1–64 letters or digits";
const badRequestId = "Parameter 'request_id' must have 1–128 printable ASCII characters without spaces";
const badAddress = 'A return address must be an absolute https URL without credentials';
const badLocale = "Parameter 'locale' must be a BCP 47 tag such as en-US";
const badId = 'Ids have 1–128 letters, digits or _ . : -';

const account = {
  required: true,
  takes: ['acct_1', 'acct_1A2b3C4d5E6f7G8h', `acct_${'a'.repeat(64)}`],
  refuses: [
    ['acct_', badAccount],
    [`acct_${'a'.repeat(65)}`, badAccount],
    ['cus_123', badAccount],
    ['ACCT_123', badAccount],
    ['acct_12/34', badAccount],
    ['acct_12?x=1', badAccount],
    ['acct_1\n', badAccount],
    ['', badAccount],
    [123, 'must be string, not number'],
  ],
} as const;
const requestId = {
  byDefault: undefined,
  takes: ['r', '!', '~', 'r'.repeat(128)],
  refuses: [
    ['', badRequestId],
    ['r'.repeat(129), badRequestId],
    ['a b', badRequestId],
    ['a\r\nX-Evil: 1', badRequestId],
    ['é', badRequestId],
    [1, 'must be string, not number'],
  ],
} as const;
const address = {
  takes: ['https://app.example.com/return', 'http://localhost:5173/', 'http://[::1]/x', `https://a.example/${'a'.repeat(2_030)}`],
  refuses: [
    ['http://app.example.com/return', badAddress],
    ['https://user:secret@app.example.com', badAddress],
    ['//app.example.com', badAddress],
    ['/return', badAddress],
    ['javascript:alert(1)', badAddress],
    ['https://a.example/ b', badAddress],
    [`https://a.example/${'a'.repeat(2_031)}`, 'must have at most 2048 characters'],
  ],
} as const;

const literals = {
  UNAUTHORIZED: 'unauthorized',
  PERMISSION_DENIED: 'unauthorized',
  RATE_LIMITED: 'rate_limited',
  OVERLOADED: 'rate_limited',
};
const failures = {
  network: 'upstream_error',
  timeout: 'upstream_error',
  'rate-limit': 'rate_limited',
  service: 'upstream_error',
  internal: 'upstream_error',
};

testParameters(stripeGetAccountStatus, {
  good: { stripe_account_id: 'acct_1' },
  fields: { stripe_account_id: account, request_id: requestId },
});
testErrors(stripeGetAccountStatus, {
  refusals: literals,
  failures,
  retryHintMs: 2_000,
  advice: { not_found: ['start_onboarding'], rate_limited: ['retry_later'], upstream_error: ['retry_later'], unauthorized: undefined },
});

testParameters(connectGenerateRelinkUrl, {
  good: { stripe_account_id: 'acct_1', return_url: 'https://app.example.com/a', refresh_url: 'https://app.example.com/b' },
  fields: {
    stripe_account_id: account,
    return_url: { required: true, ...address },
    refresh_url: { required: true, ...address },
    locale: {
      byDefault: undefined,
      takes: ['en', 'zh-Hans-CN', 'de-CH-1996'],
      refuses: [
        ['en_US', badLocale],
        ['', badLocale],
        [`en-${'a'.repeat(8)}-`.repeat(4), 'must have at most 35 characters'],
      ],
    },
    request_id: requestId,
  },
});
testErrors(connectGenerateRelinkUrl, {
  refusals: literals,
  failures,
  retryHintMs: 2_000,
  advice: { invalid_account: ['start_onboarding'], rate_limited: ['express_dashboard'], upstream_error: ['express_dashboard'] },
});

testParameters(expressDashboardLoginLink, {
  good: { stripe_account_id: 'acct_1' },
  fields: { stripe_account_id: account, return_to: { byDefault: undefined, ...address }, request_id: requestId },
});
testErrors(expressDashboardLoginLink, {
  refusals: literals,
  failures,
  retryHintMs: 2_000,
  advice: { invalid_account: ['relink'], rate_limited: ['retry_later', 'relink'], upstream_error: ['retry_later', 'relink'] },
});

const platformId = {
  byDefault: undefined,
  takes: ['m', 'm_1.2:3-4', 'm'.repeat(128)],
  refuses: [
    ['', badId],
    ['m'.repeat(129), badId],
    ['a/b', badId],
    ["' OR 1=1", badId],
    ['商户', badId],
  ],
} as const;

testParameters(supabaseGetMerchantRow, {
  good: { merchant_id: 'm_1', user_session_id: 's_1' },
  fields: { merchant_id: platformId, user_session_id: platformId, request_id: requestId },
});
testErrors(supabaseGetMerchantRow, {
  refusals: { ...literals, INVALID_PARAMS: 'invalid_request' },
  failures: { network: 'db_error', timeout: 'db_error', 'rate-limit': 'db_error', service: 'db_error', internal: 'db_error' },
  advice: { not_found: ['start_onboarding'], db_error: ['docs_only', 'start_onboarding'] },
});

describe('a bad account', () => {
  test.each([
    [stripeGetAccountStatus, 'not_found'],
    [connectGenerateRelinkUrl, 'invalid_account'],
    [expressDashboardLoginLink, 'invalid_account'],
  ] as const)('has a literal of its own, a missing one has not', (contract, literal) => {
    const rest = { return_url: 'https://a.example/', refresh_url: 'https://a.example/' };
    const more = contract === connectGenerateRelinkUrl ? rest : {};
    expect(refusalOf(contract, { ...more, stripe_account_id: 'x' }).native_code).toBe(literal);
    expect(refusalOf(contract, { ...more }).native_code).toBe('invalid_request');
    expect(refusalOf(contract, { ...more, stripe_account_id: 'acct_1', stranger: 1 }).native_code).toBe('invalid_request');
    expect(refusalOf(contract, { ...more, stripe_account_id: 'x', stranger: 1 }).native_code).toBe(literal);
  });
});

test('a merchant is found by either of its names, and not by none', () => {
  expect(validateInput(supabaseGetMerchantRow, { merchant_id: 'm' })).toEqual({ merchant_id: 'm' });
  expect(validateInput(supabaseGetMerchantRow, coerceQuery(supabaseGetMerchantRow, { user_session_id: '42' }))).toEqual({
    user_session_id: '42',
  });
  expect(refusalOf(supabaseGetMerchantRow, { request_id: 'r' })).toMatchObject({
    native_code: 'invalid_request',
    details: [{ path: 'merchant_id', message: "One of the parameters 'merchant_id' and 'user_session_id' is required" }],
  });
});

test('links are secrets of their callers, in the answer and nowhere else', () => {
  for (const contract of [connectGenerateRelinkUrl, expressDashboardLoginLink]) {
    expect(markedPaths(contract.output, 'output', ['secret'])).toEqual([['url']]);
    expect(contract.cache).toBeUndefined();
    const shown = redact(contract.output, 'output', { url: 'https://connect.stripe.com/setup/c/1', expires_at: '2026-01-01T00:00:00Z' });
    expect(shown).toEqual({ url: '[redacted]', expires_at: '2026-01-01T00:00:00Z' });
  }
});

test('what Stripe still requires of a merchant is shown in no log', () => {
  const requirements = { currently_due: ['individual.id_number'], past_due: [], eventually_due: [] };
  expect(redact(stripeGetAccountStatus.output, 'output', { payouts_enabled: false, requirements })).toEqual({
    payouts_enabled: false,
    requirements: '[redacted]',
  });
});
