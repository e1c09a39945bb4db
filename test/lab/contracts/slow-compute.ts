import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** A tool that the protocol's conformance suite asks for by name: long work, a task for clients that take them. */
export const slowCompute = defineTool({
  name: 'slow_compute',
  version: '1.0.0',
  title: 'Slow compute',
  description: 'Wait some seconds, then answer. For tests only.',
  domain: 'profile',
  effect: 'read',
  streaming: true,
  input: z.strictObject({ seconds: z.number().min(0).max(120).default(1), label: z.string().max(100).default('') }),
  output: z.strictObject({ label: z.string() }),
  errors: {},
  timeoutMs: 130_000,
  estimatedTokens: 10,
  examples: [{ input: { seconds: 0, label: 'a' }, output: { label: 'a' } }],
});
