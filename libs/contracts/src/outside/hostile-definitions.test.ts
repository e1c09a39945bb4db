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
import { outsideContract, outsideName, OutsideToolError } from './outside-contract.js';
import { maxOutsideServerName, outsideServerName, type OutsideTool } from './server.js';

const server = { name: 'docs', kind: 'mcp', approval: 1, timeoutMs: 5_000, cacheTtlSeconds: null } as const;
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
    ['with more values than fit its limit', { enum: Array.from({ length: 6_000 }, (_, n) => `v${n}`) }, 'refused'],
    ['with many alternatives', { anyOf: Array.from({ length: 200 }, (_, n) => ({ const: n })) }, 'served'],
    ['with a boolean for a schema', { properties: { a: true } }, 'served'],
    ['with a bad type', { type: 'text' }, 'refused'],
    ['with a reference to a file', { $ref: 'file:///etc/passwd' }, 'refused'],
    ['with a reference to another host', { $ref: 'https://evil.example/s.json' }, 'refused'],
    ['with a reference to nowhere', { $ref: '#/$defs/none' }, 'refused'],
    ['with a keyword that changes with the data', { if: { type: 'string' }, else: { minLength: 1 } }, 'refused'],
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
      expect(JSON.stringify(toDefinition(contract).parameters)).not.toContain('(a+)+');
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

  test('of an MCP tool are a list of blocks, unless it says otherwise', () => {
    expect(parse({}, { content: [{ type: 'text', text: 'x' }] })).toBe(true);
    expect(parse({}, { content: 'x' })).toBe(false);
    expect(parse({}, { content: [{ text: 'x' }] })).toBe(false);
  });

  test('are checked where the definition says what they are', () => {
    const outputSchema = { type: 'object', properties: { temp: { type: 'number' } }, required: ['temp'] };
    expect(parse({ outputSchema }, { temp: 3, more: 1 })).toBe(true);
    expect(parse({ outputSchema }, { temp: 'cold' })).toBe(false);
    expect(parse({ outputSchema }, {})).toBe(false);
  });

  test('that are described as no object may be any object', () => {
    expect(parse({ outputSchema: { type: 'array' } }, { anything: 1 })).toBe(true);
    expect(parse({ outputSchema: { type: 'array' } }, [1])).toBe(false);
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

  test('of the longest server leave room for tools of 38 characters, and no more', () => {
    const longest = 'a'.repeat(maxOutsideServerName);
    const named = (tool: string) => outsideContract({ ...server, name: longest }, { name: tool, inputSchema: { type: 'object' } }).name;
    expect(named('t'.repeat(38))).toBe(outsideName(longest, 't'.repeat(38)));
    expect(() => named('t'.repeat(39))).toThrow(/its name must match/);
  });

  test.each(['', 'a b', 'a/b', 'a.b', '工具', 'a\n', '../x'])('%j names no tool', (name) => {
    expect(() => contractOf({ type: 'object' }, { name })).toThrow(OutsideToolError);
  });
});

test.each([
  ['32,768 bytes are the most', 32_768, true],
  ['one more is too many', 32_769, false],
])('a definition is measured as JSON: %s', (_what, bytes, fits) => {
  const tool = { name: 'tool', description: 'D.', inputSchema: { type: 'object', title: '' } };
  const room = bytes - JSON.stringify(tool).length;
  const make = () => outsideContract(server, { ...tool, inputSchema: { type: 'object', title: 'x'.repeat(room) } });
  if (fits) expect(make).not.toThrow();
  else expect(make).toThrow(/at most 32768 bytes/);
});

test('a description has at most 4,096 characters, and one that is missing is made', () => {
  expect(() => contractOf({ type: 'object' }, { description: 'd'.repeat(4_096) })).not.toThrow();
  expect(() => contractOf({ type: 'object' }, { description: 'd'.repeat(4_097) })).toThrow(/4096 characters/);
  expect(contractOf({ type: 'object' }, { description: '  ' }).description).toBe('The tool tool of the server docs.');
});
