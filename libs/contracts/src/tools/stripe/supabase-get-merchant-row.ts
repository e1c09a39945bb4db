import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';
import { platformId, requestId, stripeNatives } from './fields.js';

/** supabase_get_merchant_row of the Stripe onboarding contracts (ST-15…23). Logs have keyed hashes of the ids instead of the ids (ST-22). */
export const supabaseGetMerchantRow = defineTool({
  name: 'supabase_get_merchant_row',
  version: '1.0.0',
  changelog: { '1.0.0': 'The onboarding-guide contract.' },
  title: 'Merchant row',
  description:
    "Read a merchant and its Stripe link from the platform's database, by merchant, by session or by both, to tell whether it is onboarded. Holds no personal data. Only the caller's own merchants.",
  zh: {
    title: '商户记录',
    description: '按商户、会话或两者，从平台数据库读取商户及其 Stripe 关联，以判断是否已入驻。不含个人数据。仅限调用者自己的商户。',
  },
  domain: 'stripe',
  source: 'stripe',
  effect: 'read',
  input: z
    .strictObject({
      merchant_id: sensitive(platformId).optional().describe('Id of the merchant on the platform.'),
      user_session_id: sensitive(platformId).optional().describe("A session of the merchant's user."),
      request_id: requestId,
    })
    .refine(({ merchant_id, user_session_id }) => merchant_id !== undefined || user_session_id !== undefined, {
      path: ['merchant_id'],
      error: "One of the parameters 'merchant_id' and 'user_session_id' is required",
    }),
  output: z.strictObject({
    merchant_id: z.string().nullable(),
    stripe_account_id: z.string().optional().describe('Absent while the merchant has no Stripe account.'),
    status_summary: z.record(z.string(), z.unknown()).optional().describe("The platform's own summary of the onboarding."),
    profile: z
      .strictObject({ display_name: z.string(), country: z.string(), business_type: z.string() })
      .partial()
      .optional()
      .describe('Fields that tell nothing about a person.'),
    found: z.boolean(),
    observed_at: z.iso.datetime().describe('When the database was asked, UTC.'),
  }),
  errors: { not_found: 'RESOURCE_NOT_FOUND', unauthorized: 'PERMISSION_DENIED' },
  nativeCodes: { ...stripeNatives, INVALID_PARAMS: 'invalid_request' },
  failures: { network: 'db_error', timeout: 'db_error', 'rate-limit': 'db_error', service: 'db_error', internal: 'db_error' },
  advice: {
    not_found: { suggestion: 'The session is not known; start onboarding from the beginning.', fallback: ['start_onboarding'] },
    db_error: {
      suggestion: 'The merchant cannot be looked up now: advise from the documentation alone, or start onboarding from the beginning.',
      fallback: ['docs_only', 'start_onboarding'],
    },
  },
  timeoutMs: 1_500,
  timeoutSetting: { name: 'PLATFORM_DATABASE_TIMEOUT_MS', min: 1_000, max: 2_000 },
  retry: { network: { times: 3, baseMs: 200 } },
  perSession: true,
  revalidates: true,
  estimatedTokens: { input: 25, output: { min: 40, typical: 90, max: 300 } },
  examples: [
    {
      input: { merchant_id: 'm_onboarded' },
      output: {
        merchant_id: 'm_onboarded',
        stripe_account_id: 'acct_ok',
        status_summary: { onboarding: 'complete' },
        profile: { display_name: 'Corner Bakery', country: 'US', business_type: 'company' },
        found: true,
        observed_at: '2026-11-01T08:00:00.000Z',
      },
    },
  ],
});
