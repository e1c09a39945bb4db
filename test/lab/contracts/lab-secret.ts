import { z } from 'zod';
import { defineTool, secret, sensitive } from '#lib/contracts';

/** Returns a one-time link. Its text must not appear in Redis, logs or the board. */
export const labSecret = defineTool({
  name: 'lab_secret',
  version: '1.0.0',
  title: 'Lab secret',
  description: 'Make an effect at the ledger and answer with a secret link. For tests only.',
  domain: 'profile',
  effect: 'write',
  idempotent: false,
  input: z.strictObject({
    order: z.string().min(1).max(200),
    note: sensitive(z.string().max(1_000)).default('').describe('Masked wherever it is shown.'),
  }),
  output: z.strictObject({
    effect_id: z.string(),
    link: secret(z.string()).describe('`https://ledger.test/once/canary-<order>`.'),
  }),
  errors: {},
  timeoutMs: 5_000,
  retry: { network: { times: 2, baseMs: 200 } },
  estimatedTokens: 20,
  examples: [{ input: { order: 'order-1' }, output: { effect_id: 'eff_1', link: 'https://ledger.test/once/canary-order-1' } }],
});
