// Over every contract, and over shapes that no contract has yet: what each dialect may hold.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { tools } from '../all-tools.js';
import { defineTool, type ToolContract } from '../define-tool.js';
import { validateInput } from '../validate.js';
import { toAnthropic } from './anthropic.js';
import { toDefinition } from './definition.js';
import type { JsonSchema } from './json-schema.js';
import { lintDefinition } from './lint-definition.js';
import { toMcp } from './mcp.js';
import { toOpenAi } from './openai.js';

const shapes = defineTool({
  name: 'shapes',
  version: '1.0.0',
  title: 'Shapes',
  description: 'Take one parameter of every shape that a contract may use.',
  domain: 'profile',
  effect: 'write',
  idempotent: false,
  input: z.strictObject({
    query: z.string().min(1).max(200).describe('What to look for.'),
    limit: z.int().min(1).max(100).default(10).describe('How many, 1–100.'),
    unit: z.enum(['celsius', 'fahrenheit']).optional().describe('Which unit.'),
    since: z.iso.date().nullable().optional().describe('From this day on.'),
    tags: z
      .array(z.strictObject({ name: z.string(), weight: z.number().optional() }))
      .max(20)
      .optional()
      .describe('Tags.'),
    place: z
      .union([z.string(), z.strictObject({ lat: z.number(), lon: z.number() })])
      .optional()
      .describe('Where.'),
    kind: z.literal('x').optional().describe('One value.'),
  }),
  output: z.strictObject({ found: z.int() }),
  errors: {},
  timeoutMs: 1_000,
  estimatedTokens: 10,
  examples: [{ input: { query: 'a' }, output: { found: 1 } }],
});
const free: ToolContract = { ...shapes, input: z.strictObject({ filter: z.record(z.string(), z.string()).describe('Free keys.') }) };

function* schemasOf(schema: JsonSchema): Generator<JsonSchema> {
  yield schema;
  for (const property of Object.values(schema.properties ?? {})) yield* schemasOf(property);
  if (schema.items) yield* schemasOf(schema.items);
  for (const option of schema.anyOf ?? []) yield* schemasOf(option);
}

const openAiKeywords =
  /^(type|description|enum|anyOf|items|properties|required|additionalProperties|\$ref|\$defs|pattern|format|minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf|minItems|maxItems)$/;
const anthropicKeywords =
  /^(type|description|enum|anyOf|items|properties|required|additionalProperties|\$ref|\$defs|pattern|format|minItems)$/;

describe.each([...tools, shapes].map((contract): [string, ToolContract] => [contract.name, contract]))('%s', (_name, contract) => {
  test("keeps OpenAI's strict rules: closed objects, all properties required, no keyword that it does not know", () => {
    const { function: form } = toOpenAi(contract);
    expect(form).toMatchObject({ name: contract.name, strict: true });
    for (const schema of schemasOf(form.parameters)) {
      expect(Object.keys(schema).filter((keyword) => !openAiKeywords.test(keyword))).toEqual([]);
      if (!schema.properties) continue;
      expect(schema.additionalProperties).toBe(false);
      expect(schema.required).toEqual(Object.keys(schema.properties));
    }
    expect(form.parameters.anyOf).toBeUndefined();
  });

  test("keeps Anthropic's strict rules: closed objects and no bounds", () => {
    const { input_schema: schema, strict } = toAnthropic(contract);
    expect(strict).toBe(true);
    for (const part of schemasOf(schema)) {
      expect(Object.keys(part).filter((keyword) => !anthropicKeywords.test(keyword))).toEqual([]);
      if (part.properties) expect(part.additionalProperties).toBe(false);
    }
  });

  test('is an MCP tool whose structured content is the envelope', () => {
    const tool = toMcp(contract);
    expect(tool.inputSchema.type).toBe('object');
    expect(tool.outputSchema).toMatchObject({ type: 'object', required: ['success', 'status', 'metadata'] });
    expect(tool.annotations.readOnlyHint).toBe(contract.effect === 'read');
    expect(tool.annotations.destructiveHint).toBe(contract.effect === 'write' && contract.destructive !== false);
  });
});

test('an optional parameter may be null for OpenAI, and its default stands in its description', () => {
  expect(toOpenAi(shapes).function.parameters.properties).toMatchObject({
    query: { type: 'string' },
    limit: { type: ['integer', 'null'], minimum: 1, maximum: 100, description: 'How many, 1–100. Default 10.' },
    unit: { type: ['string', 'null'], enum: ['celsius', 'fahrenheit', null] },
    since: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
    place: { anyOf: [{ type: 'string' }, { type: 'object' }, { type: 'null' }] },
  });
});

test('a map of free keys is told as not strict, and as it is', () => {
  expect(toOpenAi(free).function).toMatchObject({ strict: false, parameters: { properties: { filter: { type: 'object' } } } });
  expect(toAnthropic(free).strict).toBe(false);
});

test('a null in the place of an optional parameter counts as absent, in whatever depth', () => {
  const given = { query: 'a', limit: null, unit: null, since: null, tags: [{ name: 'n', weight: null }], place: null, kind: null };
  expect(validateInput(shapes, given)).toEqual({ query: 'a', limit: 10, since: null, tags: [{ name: 'n' }] });
  expect(() => validateInput(shapes, { query: null })).toThrow(/query/);
  expect(() => validateInput(shapes, { query: 'a', stranger: null })).toThrow('Unexpected parameter: stranger');
});

test('whatever a strict caller sends for the OpenAI form is what it would have sent without nulls', () => {
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
  const call = fc.record({
    query: fc.string({ minLength: 1, maxLength: 20 }),
    limit: optional(fc.integer({ min: 1, max: 100 })),
    unit: optional(fc.constantFrom('celsius', 'fahrenheit')),
    place: optional(fc.record({ lat: fc.integer(), lon: fc.integer() })),
    kind: optional(fc.constant('x')),
  });
  fc.assert(
    fc.property(call, (given) => {
      const told = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
      expect(validateInput(shapes, given)).toEqual(validateInput(shapes, told));
    }),
  );
});

describe('the lint', () => {
  test.each(tools.map((contract): [string, ToolContract] => [contract.name, contract]))('finds nothing in %s', (_name, contract) => {
    expect(lintDefinition(toDefinition(contract)).map(({ message }) => message)).toEqual([]);
  });

  test.each([
    ['name', { name: 'what is this' }],
    ['name', { name: 'do_stuff' }],
    ['purpose', { description: 'Search' }],
    ['limits', { description: `${'long '.repeat(300)}.` }],
    ['parameter', { parameters: { type: 'object', properties: { q: { type: 'string' } } } }],
    [
      'range',
      { parameters: { type: 'object', properties: { q: { type: 'integer', minimum: 1, maximum: 100, description: 'How many.' } } } },
    ],
    ['single-responsibility', { parameters: { type: 'object', properties: { action: { type: 'string', description: 'What to do.' } } } }],
    ['reserved', { parameters: { type: 'object', properties: { _trace: { type: 'string', description: 'A trace.' } } } }],
  ])('names the rule %s that is broken by %j', (rule, broken) => {
    const sound = { name: 'search_product', description: 'Search products by words in their names.', parameters: { type: 'object' } };
    expect(lintDefinition(sound)).toEqual([]);
    expect(lintDefinition({ ...sound, ...broken }).map((fault) => fault.rule)).toContain(rule);
  });
});

test.each(['connect_generate_relink_url', 'express_dashboard_login_link'])(
  'the link tool %s is neither a read nor destructive nor idempotent for MCP clients (C-42)',
  (name) => {
    const contract = tools.find((one) => one.name === name);
    expect(contract && toMcp(contract).annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: false });
  },
);

test.each([
  [{ effect: 'write' }, true],
  [{ effect: 'write', destructive: true }, true],
  [{ effect: 'write', destructive: false }, false],
  [{ effect: 'read' }, false],
  [{ effect: 'read', destructive: true }, false],
] as const)('the contract %j has the destructive hint %j', (contract, hint) => {
  expect(toMcp({ ...shapes, ...contract }).annotations.destructiveHint).toBe(hint);
});
