import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** Parameters and answers of any size. */
export const labLarge = defineTool({
  name: 'lab_large',
  version: '1.0.0',
  title: 'Lab large',
  description: 'Count the characters of a text, and answer with a text of a chosen length. For tests only.',
  domain: 'profile',
  effect: 'read',
  maxInputBytes: 4 * 1_048_576,
  input: z.strictObject({
    order: z.string().min(1).max(200),
    text: z.string().max(3_000_000).default(''),
    answer_characters: z.int().min(0).max(3_000_000).default(0),
    wait_ms: z.int().min(0).max(60_000).default(0),
  }),
  output: z.strictObject({ order: z.string(), counted: z.int(), text: z.string() }),
  errors: { TOO_ODD: 'INVALID_PARAMS' },
  timeoutMs: 60_000,
  retry: { network: { times: 3, baseMs: 200 } },
  estimatedTokens: 20,
  examples: [{ input: { order: 'order-1', text: 'abc' }, output: { order: 'order-1', counted: 3, text: '' } }],
});
