import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** Cached for ten minutes by `order` alone. */
export const labCached = defineTool({
  name: 'lab_cached',
  version: '1.0.0',
  title: 'Lab cache',
  description: 'Answer with the number of the run; answers are kept for ten minutes. For tests only.',
  domain: 'profile',
  effect: 'read',
  cache: { ttlSeconds: 600, keyParams: ['order'] },
  input: z.strictObject({
    order: z.string().min(1).max(200),
    ignored: z.string().max(200).default('').describe('No part of the cache key.'),
    refuse: z.boolean().default(false).describe('Refuse instead: refusals are not cached.'),
  }),
  output: z.strictObject({ order: z.string(), run: z.int().describe('Runs of this order so far, counted at the ledger.') }),
  errors: { LAB_REFUSED: 'CONFLICT' },
  timeoutMs: 5_000,
  estimatedTokens: 20,
  examples: [{ input: { order: 'order-1' }, output: { order: 'order-1', run: 1 } }],
});
