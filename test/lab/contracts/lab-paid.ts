import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** What the handler reports in each attempt, on top of the price, in millionths of a US dollar. */
export const reportedMicros = 7;

/** Costs something by its contract and by what its handler reports, and then makes one effect at the ledger. */
export const labPaid = defineTool({
  name: 'lab_paid',
  version: '1.0.0',
  title: 'Lab paid effect',
  description: 'Report a cost, then make one effect at the upstream ledger. For tests only.',
  domain: 'profile',
  effect: 'write',
  input: z.strictObject({ order: z.string().min(1).max(200).describe('Name of the invocation at the ledger, chosen by the test.') }),
  output: z.strictObject({ order: z.string(), effect_id: z.string().describe('Id of the effect at the ledger.') }),
  errors: { LAB_REFUSED: 'CONFLICT' },
  timeoutMs: 5_000,
  retry: { network: { times: 3, baseMs: 200 }, timeout: { times: 2, baseMs: 200 }, 'rate-limit': { times: 3, baseMs: 200 } },
  cost: { micros: 10 },
  estimatedTokens: 20,
  examples: [{ input: { order: 'order-1' }, output: { order: 'order-1', effect_id: 'eff_1' } }],
});
