// Definitions of tools that a server of somebody else may send: large, deep, circular, or with names of ours.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toAnthropic } from '../derive/anthropic.js';
import { toDefinition } from '../derive/definition.js';
import { toMcp } from '../derive/mcp.js';
import { toOpenAi } from '../derive/openai.js';
import { toOpenApiOperation } from '../derive/openapi.js';
import { redact } from '../derive/redaction.js';
import { validateInput } from '../validate.js';
import { Refusal } from '../errors.js';
import { breaksOfAnswer, outsideContract, OutsideToolError, readOutsideTool } from './outside-contract.js';
import { outsideServerName, type OutsideTool } from './server.js';

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
const contractOf = (inputSchema: object, more: Partial<OutsideTool> = {}) =>
  outsideContract(server, { name: 'tool', description: 'A tool of theirs.', inputSchema: { ...inputSchema }, ...more });
const withProperty = (schema: object) => contractOf({ type: 'object', properties: { p: schema } });

/** Everything that is made of a contract when tools are listed and called. */
function makeEverything(contract: ReturnType<typeof contractOf>): void {
  for (const make of [toDefinition, toMcp, toOpenAi, toAnthropic, toOpenApiOperation]) JSON.stringify(make(contract));
  redact(contract.input, 'input', { p: 1 });
}

/** The contract, or the rule that the definition breaks. Anything else is a fault of ours. */
function outcomeOf(make: () => ReturnType<typeof contractOf>): 'served' | 'refused' {
  try {
    makeEverything(make());
    return 'served';
  } catch (error) {
    if (error instanceof OutsideToolError) return 'refused';
    throw error;
  }
}

describe('a definition', () => {
  const deep = (levels: number): object =>
    Array.from({ length: levels }).reduce<object>((inner) => ({ type: 'object', properties: { a: inner } }), { type: 'string' });

  test.each<[string, object, 'served' | 'refused']>([
    ['that is deep', deep(50), 'served'],
    ['with a long list of values', { enum: Array.from({ length: 3_000 }, (_, n) => `v${n}`) }, 'served'],
    ['with more values than fit its limit', { enum: Array.from({ length: 12_000 }, (_, n) => `v${n}`) }, 'refused'],
    ['with many alternatives', { anyOf: Array.from({ length: 200 }, (_, n) => ({ const: n })) }, 'served'],
    ['with a boolean for a schema', { properties: { a: true } }, 'served'],
    ['with a bad type', { type: 'text' }, 'served'],
    ['with a reference to a file', { $ref: 'file:///etc/passwd' }, 'served'],
    ['with a reference to another host', { $ref: 'https://evil.example/s.json' }, 'served'],
    ['with a reference to nowhere', { $ref: '#/$defs/none' }, 'served'],
    ['with a keyword that changes with the data', { if: { type: 'string' }, else: { minLength: 1 } }, 'served'],
    ['that is too deep to read', deep(500), 'served'],
    ['that is a negation of negations', Array.from({ length: 3_000 }).reduce<object>((inner) => ({ not: inner }), {}), 'served'],
  ])('%s is %s', (...[, schema, outcome]) => {
    expect(outcomeOf(() => withProperty(schema))).toBe(outcome);
  });

  test('that refers to itself is served or refused, and never an endless loop', () => {
    const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } } };
    for (const schema of [
      { type: 'object', properties: { p: { $ref: '#/$defs/tree' } }, $defs: { tree } },
      { type: 'object', properties: { p: { $ref: '#' } } },
      { type: 'object', properties: { p: { $ref: '#/$defs/a' } }, $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    ])
      expect(['served', 'refused']).toContain(outcomeOf(() => contractOf(schema)));
  });

  test('whose root is no object is read as one', () => {
    for (const type of ['string', 'array', undefined, ['object', 'null']])
      expect(['served', 'refused']).toContain(outcomeOf(() => contractOf({ type, properties: { p: { type: 'string' } } })));
  });

  test('whose type is an object that cannot be a text is served or refused', () => {
    for (const type of [{ toString: null }, [{ toString: 1 }], 7, null, [null]])
      expect(['served', 'refused']).toContain(outcomeOf(() => withProperty({ type })));
  });

  test('of any JSON is served or refused', () => {
    const schema = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.dictionary(fc.constantFrom('type', 'enum', 'const', 'items', 'format', 'minimum', 'default', '$ref', 'not'), fc.jsonValue()),
        fc.record({ type: fc.constant('object'), properties: fc.dictionary(fc.string({ maxLength: 5 }), tie('schema')) }),
        fc.record({ anyOf: fc.array(tie('schema')) }),
      ),
    })).schema;
    fc.assert(
      fc.property(schema, (one) => {
        expect(['served', 'refused']).toContain(outcomeOf(() => withProperty(one)));
      }),
      { numRuns: 60 },
    );
  });
});

describe('parameters', () => {
  test('called like properties of every object are parameters like any other', () => {
    const contract = contractOf({
      type: 'object',
      properties: {
        constructor: { type: 'string' },
        toString: { type: 'integer' },
        pattern: { type: 'string' },
        $schema: { type: 'string' },
      },
    });
    const given = { constructor: 'a', toString: 1, pattern: 'b', $schema: 'c' };
    expect(validateInput(contract, given)).toMatchObject(given);
    expect(() => validateInput(contract, { toString: 'x' })).toThrow("Parameter 'toString' must be integer, not string");
    expect(validateInput(contract, {})).toEqual({ max_length: 2_000, return_summary: true });
  });

  test('of any JSON are taken or refused, and never kept in a prototype', () => {
    const contract = withProperty({ type: 'object', additionalProperties: { type: 'string' } });
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          validateInput(contract, JSON.parse(`{"p":${JSON.stringify(value)},"__proto__":{"polluted":1}}`));
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
        expect({}).not.toHaveProperty('polluted');
      }),
    );
  });

  test('are not matched with a regular expression of the server, wherever it stands', () => {
    const evil = '^(a+)+$';
    const schemas = [
      { type: 'string', pattern: evil },
      { type: 'array', items: { type: 'string', pattern: evil } },
      { type: 'object', patternProperties: { [evil]: { type: 'string' } } },
      { anyOf: [{ type: 'string', pattern: evil }] },
    ];
    for (const schema of schemas) {
      const contract = withProperty(schema);
      for (const value of ['no match', ['no match'], { no: 'match' }]) {
        try {
          validateInput(contract, { p: value });
        } catch (error) {
          expect(String(error)).toMatch(/must be|not valid/);
        }
      }
    }
  });

  test('keep a default that holds the name of a keyword', () => {
    const contract = withProperty({ type: 'object', additionalProperties: true, default: { pattern: 'x', $schema: 'y' } });
    expect(validateInput(contract, {})).toMatchObject({ p: { pattern: 'x', $schema: 'y' } });
  });
});

describe('answers', () => {
  const parse = (more: Partial<OutsideTool>, value: unknown) => contractOf({ type: 'object' }, more).output.safeParse(value).success;

  test('are any object, whatever the definition says', () => {
    for (const outputSchema of [undefined, { type: 'object', required: ['temp'] }, { type: 'array' }, { type: 'string' }, {}])
      expect(parse({ ...(outputSchema && { outputSchema }) }, { anything: [1] })).toBe(true);
    expect(parse({}, [1])).toBe(false);
  });

  const outputSchema = { type: 'object', properties: { temp: { type: 'number' }, note: { type: 'string' } }, required: ['temp'] };
  const closed = { ...outputSchema, additionalProperties: false };
  test.each<[string, object, object, readonly string[]]>([
    ['that fit', outputSchema, { temp: 3, more: 1 }, []],
    ['that have another type', outputSchema, { temp: 'cold' }, ["the field 'temp' must be number, not string"]],
    ['that lack a field', outputSchema, {}, ["the field 'temp' is missing"]],
    ['that are null where nothing was meant', outputSchema, { temp: 1, note: null }, ["the field 'note' must be string, not null"]],
    ['that have a field too many', closed, { temp: 1, more: 1 }, ["the field 'more' is not declared"]],
    [
      'that are no object',
      { type: 'array', items: { type: 'number' } },
      { result: ['x'] },
      ["the field 'result.0' must be number, not string"],
    ],
  ])('%s are told by the field', (_what, schema, data, breaks) => {
    expect(breaksOfAnswer(contractOf({ type: 'object' }, { outputSchema: { ...schema } }), data)).toEqual(breaks);
  });

  test('without a declared schema break none', () => {
    expect(breaksOfAnswer(contractOf({ type: 'object' }), { a: 1 })).toEqual([]);
  });
});

describe('names', () => {
  test.each([
    ['docs', true],
    ['my-docs', true],
    ['my_docs2', true],
    ['a', true],
    ['Docs', false],
    ['2docs', false],
    ['docs_', false],
    ['my__docs', false],
    ['my-_docs', false],
    ['', false],
    ['docs\n', false],
  ])('%j may name a server: %s', (name, may) => {
    expect(outsideServerName.test(name)).toBe(may);
  });
});

test.each([
  ['65,536 bytes are the most', 65_536, true],
  ['one more is too many', 65_537, false],
])('a definition is measured as JSON: %s', (_what, bytes, fits) => {
  const tool = { name: 'tool', description: 'D.', inputSchema: { type: 'object', title: '' } };
  const room = bytes - JSON.stringify(tool).length;
  const make = () => outsideContract(server, { ...tool, inputSchema: { type: 'object', title: 'x'.repeat(room) } });
  if (fits) expect(make).not.toThrow();
  else expect(make).toThrow(/at most 65536 bytes/);
});

test('a schema of answers that makes a definition too large is left out, which is told, and the tool is served', () => {
  const [inputSchema, outputSchema] = [{ type: 'object' }, { type: 'object', title: 'x'.repeat(80_000), required: ['found'] }];
  const { contract, notes } = readOutsideTool(server, { name: 'tool', description: 'D.', inputSchema, outputSchema });
  expect(notes).toEqual(['its outputSchema is left out: with it the definition has more than 65536 bytes']);
  expect(breaksOfAnswer(contract, {})).toEqual([]);
  expect(() => readOutsideTool(server, { name: 'tool', inputSchema: outputSchema, outputSchema })).toThrow(/at most 65536 bytes/);
});

test('a description is cut after 4,096 characters, which is told, and one that is missing is made', () => {
  const described = (length: number) =>
    readOutsideTool(server, { name: 'tool', description: 'd'.repeat(length), inputSchema: { type: 'object' } });
  expect(described(4_096)).toMatchObject({ contract: { description: 'd'.repeat(4_096) }, notes: [] });
  expect(described(4_097)).toMatchObject({
    contract: { description: `${'d'.repeat(4_095)}…` },
    notes: ['its description is cut after 4096 characters'],
  });
  expect(contractOf({ type: 'object' }, { description: '  ' }).description).toBe('The tool tool of the server docs.');
});
