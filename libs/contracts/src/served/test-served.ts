import { servedTool, type ServedTool } from './served-tool.js';

/** What a worker may announce, with the fields that a test is about. */
export function announced(more: Partial<Record<keyof ServedTool, unknown>> = {}): ServedTool {
  return servedTool.parse({
    name: 'make_quote',
    version: '1.0.0',
    title: 'Quote',
    description: 'Price one order of a customer in euros, with its tax.',
    input: {
      type: 'object',
      properties: {
        customer: { type: 'string', description: 'Its number.', sensitive: true },
        units: { type: 'integer', description: 'How many.' },
      },
      required: ['customer', 'units'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'], additionalProperties: false },
    errors: { NO_SUCH_CUSTOMER: 'RESOURCE_NOT_FOUND' },
    effect: 'read',
    timeout_ms: 5_000,
    examples: [{ input: { customer: 'c1', units: 2 }, output: { total: 23.8 } }],
    ...more,
  });
}

export const place = { tenant: 'acme', domain: 'sales' } as const;
