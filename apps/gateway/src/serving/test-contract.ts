import { z } from 'zod';
import { defineTool } from '#lib/contracts';

/** A tool of a tenant. @param more fields of the contract that a test is about */
export const contractOf = (name: string, more: object = {}) =>
  defineTool({
    name,
    version: '1.0.0',
    title: 'Test',
    description: 'A tool of a test, served by a worker of a tenant.',
    domain: 'own-sales',
    effect: 'write',
    input: z.strictObject({ text: z.string().describe('Any.') }),
    output: z.strictObject({ said: z.string() }),
    errors: { NO_SUCH_TEXT: 'RESOURCE_NOT_FOUND' },
    timeoutMs: 20_000,
    retry: { service: { times: 2, baseMs: 1 } },
    estimatedTokens: 10,
    examples: [{ input: { text: 'a' }, output: { said: 'a' } }],
    ...more,
  });
