import { z } from 'zod';
import { defineTool } from '#lib/contracts';

const labFailures = ['network', 'timeout', 'rate-limit', 'service', 'internal', 'refusal', 'bad-output', 'hang-ignoring-signal'] as const;

/** Fails in the way it is asked to, so many times, then succeeds. */
export const labFail = defineTool({
  name: 'lab_fail',
  version: '1.0.0',
  title: 'Lab failure',
  description: 'Fail as asked for the first attempts, then succeed. For tests only.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({
    order: z.string().min(1).max(200),
    kind: z.enum(labFailures),
    times: z.int().min(0).max(100).default(1).describe('How many attempts fail; attempts are counted at the ledger.'),
    retry_after: z.string().max(100).default('1').describe('Retry-After of the rate limit, as it is: seconds, a date, or garbage.'),
  }),
  output: z.strictObject({ order: z.string(), attempts: z.int() }),
  errors: { LAB_REFUSED: 'CONFLICT' },
  timeoutMs: 2_000,
  retry: {
    network: { times: 3, baseMs: 200 },
    timeout: { times: 2, baseMs: 200 },
    'rate-limit': { times: 3, baseMs: 200 },
    service: { times: 1, baseMs: 200 },
  },
  estimatedTokens: 20,
  examples: [{ input: { order: 'order-1', kind: 'network' }, output: { order: 'order-1', attempts: 2 } }],
});
