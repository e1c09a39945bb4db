import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** Equal calls of one caller share a run while it lasts and a minute longer. */
export const labCoalesced = defineTool({
  name: 'lab_coalesced',
  version: '1.0.0',
  title: 'Lab single flight',
  description: 'Answer with the number of the run; equal calls share one. For tests only.',
  domain: 'profile',
  effect: 'read',
  singleFlight: { windowMs: 60_000 },
  input: z.strictObject({ order: z.string().min(1).max(200), work_ms: z.int().min(0).max(30_000).default(0) }),
  output: z.strictObject({ order: z.string(), run: z.int().describe('Runs of this order so far, counted at the ledger.') }),
  errors: {},
  timeoutMs: 30_000,
  estimatedTokens: 20,
  examples: [{ input: { order: 'order-1' }, output: { order: 'order-1', run: 1 } }],
});
