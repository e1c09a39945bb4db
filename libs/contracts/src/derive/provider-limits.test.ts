import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { outsideContract } from '../outside/outside-contract.js';
import { toAnthropic } from './anthropic.js';
import { toMcp, toMcpData } from './mcp.js';
import { toOpenAi } from './openai.js';
import { toOpenApiOperation } from './openapi.js';

const server = {
  tenantId: null,
  name: 'docs',
  kind: 'mcp',
  approval: 1,
  timeoutMs: 5_000,
  cacheTtlSeconds: null,
  connection: null,
  mayAsk: [],
  apps: { domains: [], permissions: [] },
} as const;
const contractOf = (inputSchema: object, more: object = {}) =>
  outsideContract(server, { name: 'tool', description: 'A tool of theirs.', inputSchema: { type: 'object', ...inputSchema }, ...more });
const text = { type: 'string' };
const tree = {
  properties: { tree: { $ref: '#/$defs/N' } },
  $defs: { N: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/N' } } } } },
};

describe('OpenAI', () => {
  test('gets a description of 1,024 characters at most, never with half of one', () => {
    const { description } = toOpenAi(contractOf({}, { description: '😀'.repeat(1_500) })).function;
    expect(description).toHaveLength(1_023);
    expect(description.isWellFormed()).toBe(true);
  });

  test('gets an object without branches at the top, with the fields of all branches', () => {
    const { parameters, strict } = toOpenAi(
      contractOf({
        properties: { a: text },
        anyOf: [{ required: ['a'] }, { $ref: '#/$defs/other' }],
        allOf: [{ properties: { c: text }, required: ['c'] }],
        not: { required: ['z'] },
        $defs: { other: { type: 'object', properties: { b: text } } },
      }),
    ).function;
    expect(Object.keys(parameters)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(anyOf|oneOf|allOf|not|enum|if)$/)]));
    expect(parameters).toMatchObject({ type: 'object', properties: { a: text, b: text, c: text }, required: ['c'], $defs: {} });
    expect(strict).toBe(false);
  });

  test('gets lists that say what they hold, at any depth', () => {
    const { parameters } = toOpenAi(
      contractOf({ properties: { a: { anyOf: [{ type: 'array' }, { type: 'object', additionalProperties: true }] } } }),
    ).function;
    expect(parameters.properties?.['a']).toEqual({
      anyOf: [
        { type: 'array', items: {} },
        { type: 'object', additionalProperties: true },
      ],
    });
  });

  test('is asked for strict mode only within its limits', () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`p${n}`, { enum: Array.from({ length: 20 }, (_one, m) => `v${m}`) }]),
    );
    const deep = Array.from({ length: 12 }).reduce<object>(
      (inner) => ({ type: 'object', properties: { a: inner }, additionalProperties: false }),
      text,
    );
    for (const properties of [many, { deep }]) expect(toOpenAi(contractOf({ properties })).function.strict).toBe(false);
    expect(toOpenAi(contractOf({ properties: { a: text } })).function.strict).toBe(true);
  });
});

test('Anthropic gets no parameter with a name that it refuses, and hears of it', () => {
  const tool = toAnthropic(contractOf({ properties: { '@id': text, 名称: text, ok: text }, required: ['@id', 'ok'] }));
  expect(Object.keys(tool.input_schema.properties ?? {})).toEqual(['ok', 'max_length', 'return_summary']);
  expect(tool).toMatchObject({
    strict: false,
    description: 'A tool of theirs. It also takes "@id", "名称".',
    input_schema: { required: ['ok'] },
  });
});

describe('clients of MCP', () => {
  const declared = {
    outputSchema: { type: 'object', properties: { id: text, self: { $ref: '#' } }, required: ['id'], additionalProperties: false },
  };

  test.each([toMcp, toMcpData])('take an answer that breaks what its server declared', (form) => {
    const { outputSchema } = form(contractOf({}, declared));
    const data = { id: null, more: 1 };
    const envelope = { success: true, status: 'success', data, metadata: { tool_name: 't', timestamp: '', trace_id: '' } };
    const check = new Ajv2020({ strict: false }).compile(outputSchema ?? false);
    expect(check(form === toMcp ? envelope : data)).toBe(true);
    expect(JSON.stringify(outputSchema)).toContain('"id"');
  });
});

test('OpenAPI gets the definitions of a recursive schema as components, and every reference leads to one', () => {
  const { operation, schemas } = toOpenApiOperation(
    contractOf(tree, { outputSchema: { type: 'object', properties: { next: { $ref: '#' } } } }),
  );
  expect(Object.keys(schemas)).toEqual(['docs__tool-input-N', 'docs__tool-output-root']);
  const refs = [...JSON.stringify({ operation, schemas }).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? '');
  const own = refs.filter((ref) => ref.startsWith('#/components/schemas/docs'));
  expect(new Set(own)).toEqual(new Set(Object.keys(schemas).map((name) => `#/components/schemas/${name}`)));
  expect(refs.some((ref) => ref.includes('$defs'))).toBe(false);
});
