// Definitions of tools that others have reported as refused, spoiled or impossible to call. What a definition says and we cannot check is
// passed on: the server checks it.
import type { Report } from './report.js';
import { condition, rawTool } from './raw-server.js';

const word = { type: 'string' };
const fields = { type: 'object', properties: { a: word, b: word } };

export const definitionReports: readonly Report[] = [
  {
    source: 'langflow-ai/langflow#9359',
    name: 'a default that its own type does not allow',
    holds: 'calls go through with and without the field',
    tools: [
      rawTool('one', {
        type: 'object',
        properties: {
          q: word,
          n: { type: 'integer', default: null },
          kind: { enum: ['x', 'y'], default: '' },
          least: { type: 'integer', minimum: 1, default: 0 },
        },
        required: ['q'],
      }),
    ],
    calls: [
      { tool: 'one', input: { q: 'a' }, sees: { q: 'a' } },
      { tool: 'one', input: { q: 'a', n: 5 }, sees: { q: 'a', n: 5 } },
    ],
    short: true,
  },
  {
    source: 'anthropics/claude-code#88049',
    name: 'malformed definitions beside a good one',
    holds: 'the good tool is served, and the others are served or rejected by name',
    tools: [
      rawTool('good', fields),
      rawTool('null_description', fields, { description: null }),
      rawTool('null_title', fields, { title: null }),
      rawTool('empty_schema', {}),
      rawTool('null_annotation', fields, { annotations: { title: null } }),
      rawTool('untyped_output', fields, { outputSchema: { properties: { a: word } } }),
      rawTool('text_as_schema', 'object'),
      { name: 7 },
      null,
    ],
    rejects: ['text_as_schema', '#8', '#9'],
    calls: [{ tool: 'good', input: { a: '1' }, sees: { a: '1' } }],
    short: true,
  },
  {
    source: 'modelcontextprotocol/typescript-sdk#147',
    name: 'arguments beyond those that are named',
    holds: 'the server gets every one where its definition allows more',
    tools: [
      rawTool('open', { type: 'object', properties: { a: word }, additionalProperties: true }),
      rawTool('typed', { type: 'object', additionalProperties: word }),
      rawTool('bare', { type: 'object' }),
    ],
    calls: [
      { tool: 'open', input: { a: '1', b: '2' }, sees: { a: '1', b: '2' } },
      { tool: 'typed', input: { foo: '1', bar: '2' }, sees: { foo: '1', bar: '2' } },
      { tool: 'bare', input: { x: 1 }, sees: { x: 1 } },
    ],
    short: true,
  },
  {
    source: 'anthropics/claude-code#95504',
    name: 'conditions and other rules between fields',
    holds: 'the tools are served, and their rules left to the server',
    tools: [
      rawTool('if_then', { ...fields, ...condition }),
      rawTool('dependent', { ...fields, dependentRequired: { a: ['b'] } }),
      rawTool('not', { ...fields, not: { required: ['a', 'b'] } }),
      rawTool('unevaluated', { ...fields, unevaluatedProperties: false }),
      rawTool('names', { ...fields, propertyNames: { maxLength: 9 }, minProperties: 1 }),
    ],
    calls: ['if_then', 'dependent', 'not', 'unevaluated', 'names'].map((tool) => ({ tool, input: { a: '1' }, sees: { a: '1' } })),
    short: true,
  },
  {
    source: 'redhat-et/ripwire#48',
    name: 'unions at the top',
    holds: 'the tools are served, and called with the fields of a branch',
    tools: [
      rawTool('required', { ...fields, anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
      rawTool('untyped', { anyOf: [fields, { type: 'object', properties: { c: word } }] }),
      rawTool('one_of', { type: 'object', oneOf: [{ properties: { a: word } }, { properties: { b: { type: 'integer' } } }] }),
    ],
    calls: [
      { tool: 'required', input: { a: '1' }, sees: { a: '1' } },
      { tool: 'untyped', input: { a: '1' }, sees: { a: '1' } },
      { tool: 'one_of', input: { a: '1' }, sees: { a: '1' } },
    ],
    short: true,
  },
  {
    source: 'mcp-use/mcp-use#1064',
    name: 'references into properties, anchors and ids',
    holds: 'the tools are served and called',
    tools: [
      rawTool('inner', { type: 'object', properties: { from: word, to: { $ref: '#/properties/from' } } }),
      rawTool('anchor', { type: 'object', properties: { a: { $ref: '#here' } }, $defs: { x: { $anchor: 'here', type: 'string' } } }),
      rawTool('id', { $id: 'https://example.com/one', type: 'object', properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: word } }),
      rawTool('tree', {
        type: 'object',
        properties: { tree: { $ref: '#/$defs/node' } },
        $defs: { node: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/node' } } } } },
      }),
    ],
    calls: [
      { tool: 'inner', input: { from: '1', to: '2' }, sees: { from: '1', to: '2' } },
      { tool: 'anchor', input: { a: '1' }, sees: { a: '1' } },
      { tool: 'id', input: { a: '1' }, sees: { a: '1' } },
      { tool: 'tree', input: { tree: { kids: [{ kids: [] }] } }, sees: { tree: { kids: [{ kids: [] }] } } },
    ],
  },
  {
    source: 'openai/codex#8174',
    name: 'names with dots, blanks, other scripts, and over 64 characters',
    holds: 'each is offered under a legal name of its own, and called by it',
    tools: ['graph.list', 'graph_list', 'with space', '名字', '_first', '9lives', 'x'.repeat(90)].map((name) => rawTool(name, fields)),
    calls: ['graph.list', 'graph_list', 'with space', '名字', '_first', '9lives', 'x'.repeat(90)].map((tool) => ({
      tool,
      input: { a: tool.slice(0, 9) },
      sees: { a: tool.slice(0, 9) },
    })),
    short: true,
  },
  {
    source: 'IBM/mcp-context-forge#584',
    name: 'descriptions with signs of HTML, in other scripts, and of 20,000 characters',
    holds: 'the tools are served and called',
    tools: [
      rawTool('signs', fields, { description: 'If <a> & "b" then \u{1F600} 说明.' }),
      rawTool('long', fields, { description: 'Salt raises the blood pressure. '.repeat(640) }),
      rawTool('none', fields, { description: undefined }),
    ],
    calls: ['signs', 'long', 'none'].map((tool) => ({ tool, input: { a: '1' }, sees: { a: '1' } })),
  },
  {
    source: 'api-platform/core#8504',
    name: 'types in lists, enums with null, references that may be null',
    holds: 'null, an absent field and a value pass',
    tools: [
      rawTool('nulls', {
        type: 'object',
        properties: {
          a: { type: ['string', 'null'] },
          b: { enum: ['x', null] },
          c: { anyOf: [{ $ref: '#/$defs/inner' }, { type: 'null' }], default: null },
        },
        $defs: { inner: { type: 'object', properties: { z: word } } },
      }),
    ],
    calls: [
      { tool: 'nulls', input: { a: null, b: null, c: null }, sees: { a: null, b: null, c: null } },
      { tool: 'nulls', input: { a: 'x', b: 'x', c: { z: '1' } }, sees: { a: 'x', b: 'x', c: { z: '1' } } },
    ],
  },
  {
    source: 'colinhacks/zod#3486',
    name: 'multiples of 0.01, bounds of 64 bits, tuples, bounds of draft 4',
    holds: 'numbers that fit pass',
    tools: [
      rawTool('cents', { type: 'object', properties: { price: { type: 'number', multipleOf: 0.01 } } }),
      rawTool('big', { type: 'object', properties: { n: { type: 'integer', maximum: 18_446_744_073_709_552_000 } } }),
      rawTool('pair', { type: 'object', properties: { p: { type: 'array', prefixItems: [word, { type: 'integer' }] } } }),
      rawTool('old', { type: 'object', properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true } } }),
    ],
    calls: [
      ...[19.99, 4.35, 1_234_567.89].map((price) => ({ tool: 'cents', input: { price }, sees: { price } })),
      { tool: 'big', input: { n: 7 }, sees: { n: 7 } },
      { tool: 'pair', input: { p: ['a', 1] }, sees: { p: ['a', 1] } },
      { tool: 'old', input: { n: 1 }, sees: { n: 1 } },
    ],
  },
  {
    source: 'zereight/gitlab-mcp#286',
    name: 'a server with 1,000 tools',
    holds: 'all are served, and the last is called',
    tools: Array.from({ length: 1_000 }, (_, index) => rawTool(`tool_${index}`, fields)),
    calls: [{ tool: 'tool_999', input: { a: '1' }, sees: { a: '1' } }],
  },
];
