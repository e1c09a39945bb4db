import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { queryText } from './fields.js';

/** citation_helper of the Stripe onboarding contracts (ST-44…52, C-43, C-44, C-91). */
export const citationHelper = defineTool({
  name: 'citation_helper',
  version: '1.0.0',
  changelog: { '1.0.0': 'The onboarding contract.' },
  title: 'Citations for a claim',
  description:
    'Find the sections of the internal runbook and of the official Stripe documents that support a claim, before it is told to a merchant. Says grounded: false when the evidence is weak; then refuse, and lead to Express or Relink.',
  zh: {
    title: '论断的引用依据',
    description:
      '在告知商户之前，从内部手册和 Stripe 官方文档中查找支持一条论断的段落。依据不足时返回 grounded: false；此时请拒绝，并引导至 Express 或重新关联。',
  },
  domain: 'knowledge',
  source: 'stripe',
  effect: 'read',
  input: z.strictObject({
    claim: queryText(1_000, 'The statement to be supported, 1–1000 characters.'),
    top_k: z.int().min(1).max(20).default(3).describe('Citations given back, 1–20.'),
    request_id: z.string().max(128).optional().describe('Id of the caller’s own, for tracing.'),
  }),
  output: z.object({
    citations: z.array(
      z.object({
        title: z.string(),
        url: z.string().describe('Public address, or a path of the repository, with the anchor of the section.'),
        section: z.string().optional(),
        confidence: z.number().min(0).max(1).describe('Never rises down the list.'),
      }),
    ),
    grounded: z.boolean().describe('Whether the best citation is strong enough to say it.'),
    retrieval_ms: z.number().min(0).describe('Time of the search itself, of at most 500.'),
    suggestion: z.string().optional(),
    fallback: z.array(z.enum(['express_dashboard', 'relink', 'refuse', 'retry_later', 'docs_only'])).optional(),
  }),
  errors: { no_evidence: 'RESOURCE_NOT_FOUND' },
  nativeCodes: { INVALID_PARAMS: 'invalid_request' },
  failures: {
    network: 'search_error',
    timeout: 'search_error',
    'rate-limit': 'search_error',
    service: 'search_error',
    internal: 'search_error',
  },
  advice: {
    no_evidence: { suggestion: 'refuse', fallback: ['express_dashboard', 'relink'] },
    search_error: { suggestion: 'retry in a moment; until then say nothing that is not cited', fallback: ['retry_later', 'refuse'] },
  },
  // The budget of ST-49. Vector search has a part of it; when that is used up, keywords alone answer, so the budget is kept.
  timeoutMs: 500,
  cache: { ttlSeconds: 30, scope: 'tenant', keyParams: ['claim', 'top_k'] },
  estimatedTokens: { input: 120, output: { min: 30, typical: 150, max: 800 } },
  examples: [
    {
      input: { claim: 'Payouts stay paused until the requirements that are past due are submitted.' },
      output: {
        citations: [
          {
            title: '要求逾期',
            url: 'knowledge/stripe-onboarding/account-status.md#past-due',
            section: 'Past due requirements',
            confidence: 0.88,
          },
        ],
        grounded: true,
        retrieval_ms: 14.2,
      },
    },
  ],
});
