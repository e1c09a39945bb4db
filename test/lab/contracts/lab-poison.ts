import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** Ends or blocks its worker process. */
export const labPoison = defineTool({
  name: 'lab_poison',
  version: '1.0.0',
  title: 'Lab poison',
  description: 'End the worker process, block its event loop, or leave a rejection unhandled. For tests only.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({
    order: z.string().min(1).max(200),
    how: z.enum(['exit', 'block', 'unhandled']),
    block_ms: z.int().min(0).max(600_000).default(20_000).describe('How long `block` holds the event loop.'),
  }),
  output: z.strictObject({ order: z.string() }),
  errors: {},
  timeoutMs: 5_000,
  estimatedTokens: 20,
  examples: [{ input: { order: 'order-1', how: 'exit' }, output: { order: 'order-1' } }],
});
