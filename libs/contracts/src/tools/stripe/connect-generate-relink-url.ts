import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { secret } from '../../marks.js';
import {
  accountId,
  badAccountIs,
  locale,
  requestId,
  returnUrl,
  stripeFailures,
  stripeNatives,
  stripeRetry,
  stripeTimeout,
} from './fields.js';

const expressInstead = {
  suggestion: 'No onboarding link can be made now; the merchant can go on in the Express Dashboard.',
  fallback: ['express_dashboard'],
} as const;

/** connect_generate_relink_url of the Stripe onboarding contracts (ST-24…33). */
export const connectGenerateRelinkUrl = defineTool({
  name: 'connect_generate_relink_url',
  version: '1.0.0',
  changelog: { '1.0.0': 'The onboarding-guide contract.' },
  title: 'Relink URL',
  description:
    "Make a single-use link by which a merchant goes on with Stripe's hosted onboarding. Equal calls within 10 s get the same link; send Cache-Control: no-cache when it has been used. Handed out once for each call; send the browser there at once.",
  zh: {
    title: '重新关联链接',
    description:
      '生成一次性链接，供商户继续完成 Stripe 托管的入驻流程。10 秒内相同的调用得到同一链接；链接已用过时请发送 Cache-Control: no-cache。每次调用只给出一次，请立即让浏览器前往。',
  },
  domain: 'stripe',
  source: 'stripe',
  effect: 'write',
  destructive: false,
  idempotent: false,
  scopes: ['stripe:links'],
  input: z.strictObject({
    stripe_account_id: accountId,
    return_url: returnUrl.describe("Where Stripe sends the merchant afterwards; https, a host of the tenant's allow-list."),
    refresh_url: returnUrl.describe('Where Stripe sends the merchant when the link is used up or expired; the same rule.'),
    locale: locale.optional().describe("BCP 47 tag for the platform's own pages; Stripe takes none."),
    request_id: requestId,
  }),
  output: z.strictObject({
    url: secret(z.string()).describe('On connect.stripe.com; works once.'),
    expires_at: z.iso.datetime().describe('When the link ends, UTC.'),
    account_link_type: z.literal('account_onboarding'),
  }),
  errors: { invalid_account: 'RESOURCE_NOT_FOUND', unauthorized: 'PERMISSION_DENIED', invalid_request: 'INVALID_PARAMS' },
  nativeCodes: { ...stripeNatives, INVALID_PARAMS: badAccountIs('invalid_account') },
  failures: stripeFailures,
  advice: {
    invalid_account: { suggestion: 'There is no such account to go on with; start onboarding.', fallback: ['start_onboarding'] },
    rate_limited: expressInstead,
    upstream_error: expressInstead,
  },
  retryHintMs: 2_000,
  ...stripeTimeout,
  retry: stripeRetry,
  perSession: true,
  singleFlight: { windowMs: 10_000, keyParams: ['stripe_account_id', 'return_url', 'refresh_url', 'locale'] },
  secretLife: { once: true, ms: 300_000 },
  estimatedTokens: { input: 60, output: { min: 60, typical: 70, max: 120 } },
  examples: [
    {
      input: {
        stripe_account_id: 'acct_ok',
        return_url: 'https://app.example.com/onboarding/done',
        refresh_url: 'https://app.example.com/onboarding/again',
      },
      output: {
        url: 'https://connect.stripe.com/setup/e/acct_ok/example',
        expires_at: '2026-11-01T08:05:00.000Z',
        account_link_type: 'account_onboarding',
      },
    },
  ],
});
