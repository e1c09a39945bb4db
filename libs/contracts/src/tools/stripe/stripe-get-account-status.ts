import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';
import { accountId, badAccountIs, requestId, stripeFailures, stripeNatives, stripeRetry, stripeTimeout } from './fields.js';

const due = (what: string) => z.array(z.string()).describe(what);

/** stripe_get_account_status of the Stripe onboarding contracts (ST-04…14). */
export const stripeGetAccountStatus = defineTool({
  name: 'stripe_get_account_status',
  version: '1.0.0',
  changelog: { '1.0.0': 'The onboarding-guide contract.' },
  title: 'Stripe account status',
  description:
    "Read whether a merchant's connected Stripe account may take charges and be paid out, and what Stripe still requires. Only accounts of the caller's own merchants. Up to 30 s old; observed_at says when Stripe was asked.",
  zh: {
    title: 'Stripe 账户状态',
    description:
      '查询商户所连接的 Stripe 账户能否收款和提现，以及 Stripe 还要求什么。仅限调用者自己商户的账户。最多有 30 秒的延迟；observed_at 说明何时询问的 Stripe。',
  },
  domain: 'stripe',
  source: 'stripe',
  effect: 'read',
  input: z.strictObject({ stripe_account_id: accountId, request_id: requestId }),
  output: z.strictObject({
    payouts_enabled: z.boolean(),
    charges_enabled: z.boolean(),
    requirements: sensitive(
      z.strictObject({
        currently_due: due('Needed now to keep the account enabled.'),
        past_due: due('Overdue; the account is or will be disabled.'),
        eventually_due: due('Needed once thresholds are reached.'),
      }),
    ),
    observed_at: z.iso.datetime().describe('When Stripe was asked, UTC.'),
  }),
  errors: { not_found: 'RESOURCE_NOT_FOUND', unauthorized: 'PERMISSION_DENIED' },
  nativeCodes: { ...stripeNatives, INVALID_PARAMS: badAccountIs('not_found') },
  failures: stripeFailures,
  advice: {
    not_found: { suggestion: 'Stripe has no such account; start onboarding from the beginning.', fallback: ['start_onboarding'] },
    rate_limited: { suggestion: 'Ask again after retry_after_ms.', fallback: ['retry_later'] },
    upstream_error: { suggestion: 'Stripe did not answer as expected; ask again after retry_after_ms.', fallback: ['retry_later'] },
  },
  retryHintMs: 2_000,
  ...stripeTimeout,
  retry: stripeRetry,
  perSession: true,
  cache: { ttlSeconds: 30, keyParams: ['stripe_account_id'] },
  estimatedTokens: { input: 25, output: { min: 60, typical: 90, max: 400 } },
  examples: [
    {
      input: { stripe_account_id: 'acct_ok' },
      output: {
        payouts_enabled: true,
        charges_enabled: true,
        requirements: { currently_due: [], past_due: [], eventually_due: ['individual.id_number'] },
        observed_at: '2026-11-01T08:00:00.000Z',
      },
    },
  ],
});
