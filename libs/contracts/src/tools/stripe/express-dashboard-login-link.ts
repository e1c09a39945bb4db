import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { secret } from '../../marks.js';
import { accountId, badAccountIs, requestId, returnUrl, stripeFailures, stripeNatives, stripeRetry, stripeTimeout } from './fields.js';

const laterOrRelink = {
  suggestion: 'No login link can be made now: try again after retry_after_ms, or go on with onboarding by a relink URL.',
  fallback: ['retry_later', 'relink'],
} as const;

/** express_dashboard_login_link of the Stripe onboarding contracts (ST-34…43). */
export const expressDashboardLoginLink = defineTool({
  name: 'express_dashboard_login_link',
  version: '1.0.0',
  changelog: { '1.0.0': 'The onboarding-guide contract.' },
  title: 'Express Dashboard login link',
  description:
    'Make a single-use link into the Stripe Express Dashboard of a merchant. Each call makes a new one. Redirect the browser to it at once; the dashboard must not be proxied or framed.',
  zh: {
    title: 'Express 控制台登录链接',
    description: '生成一次性链接，供商户进入 Stripe Express 控制台。每次调用都生成新的链接。请立即让浏览器跳转；不得代理或嵌入该控制台。',
  },
  domain: 'stripe',
  source: 'stripe',
  effect: 'write',
  destructive: false,
  idempotent: false,
  scopes: ['stripe:links'],
  input: z.strictObject({
    stripe_account_id: accountId,
    return_to: returnUrl
      .optional()
      .describe("The platform's own page to come back to; https, a host of the tenant's allow-list. Kept for audit, Stripe takes none."),
    request_id: requestId,
  }),
  output: z.strictObject({
    url: secret(z.string()).describe('On a Stripe domain; works once.'),
    expires_at: z.iso.datetime().describe('When the link is assumed to end, UTC; Stripe tells no time.'),
    expires_at_estimated: z.literal(true),
  }),
  errors: { invalid_account: 'RESOURCE_NOT_FOUND', unauthorized: 'PERMISSION_DENIED', invalid_request: 'INVALID_PARAMS' },
  nativeCodes: { ...stripeNatives, INVALID_PARAMS: badAccountIs('invalid_account') },
  failures: stripeFailures,
  advice: {
    invalid_account: { suggestion: 'This account has no Express Dashboard; go on with onboarding by a relink URL.', fallback: ['relink'] },
    rate_limited: laterOrRelink,
    upstream_error: laterOrRelink,
  },
  retryHintMs: 2_000,
  ...stripeTimeout,
  retry: stripeRetry,
  perSession: true,
  secretLife: { once: true, ms: 300_000 },
  estimatedTokens: { input: 40, output: { min: 60, typical: 70, max: 120 } },
  examples: [
    {
      input: { stripe_account_id: 'acct_ok' },
      output: {
        url: 'https://connect.stripe.com/express/acct_ok/example',
        expires_at: '2026-11-01T08:05:00.000Z',
        expires_at_estimated: true,
      },
    },
  ],
});
