import { describe, expect, test } from '@jest/globals';
import { toDefinition } from '../derive/definition.js';
import { retryPolicy } from '../derive/job-options.js';
import { redact } from '../derive/redaction.js';
import { toOpenAi } from '../derive/openai.js';
import { validateInput } from '../validate.js';
import { outsideContract, OutsideToolError } from './outside-contract.js';
import type { OutsideTool } from './server.js';

const server = {
  tenantId: null,
  name: 'docs',
  kind: 'mcp',
  approval: 3,
  timeoutMs: 5_000,
  cacheTtlSeconds: 60,
  connection: null,
  mayAsk: [],
  apps: { domains: [], permissions: [] },
} as const;
const tool = (more: Partial<OutsideTool> = {}): OutsideTool => ({
  name: 'search',
  description: 'Search the documents.',
  inputSchema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words.', pattern: '^(a+)+$' },
      limit: { type: 'integer', minimum: 1, maximum: 9 },
    },
    required: ['query'],
  },
  ...more,
});

test('a definition becomes a contract that every form can be made of', () => {
  const contract = outsideContract(server, tool({ annotations: { readOnlyHint: true } }));
  expect(contract).toMatchObject({
    name: 'docs__search',
    version: '3.0.0',
    effect: 'read',
    upstream: { kind: 'mcp', tenant: null, server: 'docs', tool: 'search', approval: 3, cutsText: true },
  });
  expect(toDefinition(contract)).toMatchObject({ cacheable: true, cache_ttl: 60, parameters: { required: ['query'] } });
  expect(toOpenAi(contract).function).toMatchObject({ name: 'docs__search', parameters: { properties: { query: { type: 'string' } } } });
});

test('a definition keeps within its bound also while another waits for approval beside it', () => {
  const large = tool({ inputSchema: { type: 'object', description: 'x'.repeat(20_000) } });
  expect(outsideContract(server, { ...large, suspended: 'changed', offered: large })).toMatchObject({ suspended: 'changed' });
});

describe('its parameters', () => {
  const contract = outsideContract(server, tool());

  test('are checked in the documented words, and unknown ones are dropped where the schema leaves them open', () => {
    expect(validateInput(contract, { query: 'a', limit: 3, stranger: 1 })).toEqual({
      query: 'a',
      limit: 3,
      max_length: 2_000,
      return_summary: true,
    });
    expect(() => validateInput(contract, { limit: 3 })).toThrow('Missing required parameter: query');
    expect(() => validateInput(contract, { query: 'a', limit: 30 })).toThrow("Parameter 'limit' must be at most 9");
  });

  test('are refused when the schema is closed', () => {
    const closed = outsideContract(server, tool({ inputSchema: { type: 'object', properties: {}, additionalProperties: false } }));
    expect(() => validateInput(closed, { stranger: 1 })).toThrow('Unexpected parameter: stranger');
  });

  test('are masked wherever they are shown', () => {
    expect(redact(contract.input, 'input', { query: 'my diagnosis' })).toBe('[redacted]');
  });
});

test('its long texts are cut as the caller wants, unless its server means something else by those words', () => {
  expect(Object.keys(toDefinition(outsideContract(server, tool())).parameters.properties ?? {})).toEqual([
    'query',
    'limit',
    'max_length',
    'return_summary',
  ]);
  const own = tool({ inputSchema: { type: 'object', properties: { max_length: { type: 'integer', default: 5_000 } } } });
  expect(outsideContract(server, own).upstream?.cutsText).toBe(false);
  expect(Object.keys(toDefinition(outsideContract(server, own)).parameters.properties ?? {})).toEqual(['max_length']);
});

describe('its retries', () => {
  const [network, limited] = [
    { max_retries: 3, base_delay_ms: 2_000, factor: 2 },
    { max_retries: 3, base_delay_ms: 1_000, factor: 1 },
  ];
  const never = { max_retries: 0, base_delay_ms: 0, factor: 1 };
  const policyOf = (annotations?: OutsideTool['annotations']) => retryPolicy(outsideContract(server, tool({ annotations })));

  test.each([{ readOnlyHint: true }, { idempotentHint: true }])('are those of tools that ask others, with %j', (annotations) => {
    const timeout = { ...network, max_retries: 2 };
    expect(policyOf(annotations)).toEqual({ network, timeout, rate_limit: limited, service: never });
  });

  test('after a timeout are none where it writes and does not say that it may be repeated', () => {
    expect(outsideContract(server, tool())).toMatchObject({ effect: 'write', idempotent: false });
    expect(outsideContract(server, tool()).cache).toBeUndefined();
    expect(policyOf()).toEqual({ network, timeout: never, rate_limit: limited, service: never });
  });
});

test.each<[string, Partial<OutsideTool>, RegExp]>([
  ['a name that is not legal', { name: 'two words' }, /its name must match/],
  ['a definition that is too large', { inputSchema: { type: 'object', title: 'x'.repeat(80_000) } }, /at most 65536 bytes/],
  ['half of a character', { description: '\ud800' }, /half of a surrogate pair/],
])('%s is refused with the rule', (_what, more, message) => {
  expect(() => outsideContract(server, tool(more))).toThrow(OutsideToolError);
  expect(() => outsideContract(server, tool(more))).toThrow(message);
});

test('a tool is served under the name that it was given where its own is not legal', () => {
  expect(outsideContract(server, { ...tool({ name: 'two words' }), offeredAs: 'docs__two_words' })).toMatchObject({
    name: 'docs__two_words',
    upstream: { tool: 'two words' },
  });
});
