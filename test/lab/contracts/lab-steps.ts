import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** Long work that reports its progress. */
export const labSteps = defineTool({
  name: 'lab_steps',
  version: '1.0.0',
  title: 'Lab steps',
  description: 'Report progress in steps, one after the other. For tests only.',
  domain: 'profile',
  effect: 'read',
  streaming: true,
  input: z.strictObject({
    order: z.string().min(1).max(200),
    steps: z.int().min(1).max(1_000).default(5),
    step_ms: z.int().min(0).max(60_000).default(100).describe('How long each step takes.'),
  }),
  output: z.strictObject({ order: z.string(), steps: z.int() }),
  errors: {},
  timeoutMs: 60_000,
  estimatedTokens: 20,
  examples: [{ input: { order: 'order-1', steps: 2, step_ms: 10 }, output: { order: 'order-1', steps: 2 } }],
});
