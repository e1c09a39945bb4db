import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** Makes one effect at the ledger, keyed by the invocation: what must happen once, however often it is run. */
export const labEffect = defineTool({
  name: 'lab_effect',
  version: '1.0.0',
  title: 'Lab effect',
  description: 'Make one effect at the upstream ledger. For tests only.',
  domain: 'profile',
  effect: 'write',
  input: z.strictObject({
    order: z.string().min(1).max(200).describe('Name of the invocation at the ledger, chosen by the test.'),
    witness: z
      .boolean()
      .default(false)
      .describe('Also tell the ledger before the call and after its answer, so it can hold the handler there.'),
  }),
  output: z.strictObject({ order: z.string(), effect_id: z.string().describe('Id of the effect at the ledger.') }),
  errors: { LAB_REFUSED: 'CONFLICT' },
  timeoutMs: 5_000,
  retry: { network: { times: 3, baseMs: 200 }, timeout: { times: 2, baseMs: 200 }, 'rate-limit': { times: 3, baseMs: 200 } },
  estimatedTokens: 20,
  examples: [{ input: { order: 'order-1' }, output: { order: 'order-1', effect_id: 'eff_1' } }],
});
