import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** A tool that the protocol's conformance suite asks for by name: long work that ends in a refusal. */
export const failingJob = defineTool({
  name: 'failing_job',
  version: '1.0.0',
  title: 'Failing job',
  description: 'Wait a second, then refuse. For tests only.',
  domain: 'profile',
  effect: 'read',
  streaming: true,
  input: z.strictObject({}),
  output: z.strictObject({}),
  errors: { MEANT_TO_FAIL: 'EXECUTION_ERROR' },
  timeoutMs: 5_000,
  estimatedTokens: 10,
  examples: [{ input: {}, output: {} }],
});
