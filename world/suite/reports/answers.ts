// Answers of servers that others have reported as lost: the tool has run, so what it said is given, with a warning where it breaks a rule.
import { rawTool } from './raw-server.js';
import type { Report } from './report.js';

const word = { type: 'string' };
const shaped = rawTool(
  'one',
  { type: 'object' },
  { outputSchema: { type: 'object', properties: { id: word, opt: word }, required: ['id'] } },
);
const plain = rawTool('one', { type: 'object' });

export const answerReports: readonly Report[] = [
  {
    source: 'langgenius/dify#39418',
    name: 'structured content without a declared schema',
    holds: 'it is the data',
    tools: [plain],
    script: { answer: () => ({ content: [], structuredContent: { found: 7 } }) },
    calls: [{ tool: 'one', input: {}, holds: /"found":7/ }],
    short: true,
  },
  ...[
    { what: 'null in an optional field', structuredContent: { id: '1', opt: null } },
    { what: 'a number for a text', structuredContent: { id: '1', opt: 7 } },
    { what: 'a field too many', structuredContent: { id: '1', more: true } },
    { what: 'no field that is required', structuredContent: { opt: 'x' } },
  ].map(({ what, structuredContent }): Report => ({
    source: 'modelcontextprotocol/java-sdk#683',
    name: `${what}, against the schema of the result`,
    holds: 'the result is given',
    tools: [shaped],
    script: { answer: () => ({ content: [], structuredContent }) },
    calls: [{ tool: 'one', input: {}, holds: new RegExp(JSON.stringify(structuredContent).slice(1, 12)) }],
    short: what.startsWith('null'),
  })),
  {
    source: 'prebid/salesagent#1710',
    name: 'a text alone where a schema of the result is declared',
    holds: 'the text is given',
    tools: [shaped],
    script: { answer: () => ({ content: [{ type: 'text', text: 'all is well' }] }) },
    calls: [{ tool: 'one', input: {}, holds: /all is well/ }],
  },
  {
    source: 'IBM/mcp-context-forge#4202',
    name: 'an error of a tool that declares a schema',
    holds: "the server's own words are told",
    tools: [shaped],
    script: { answer: () => ({ isError: true, content: [{ type: 'text', text: 'the moon is full' }] }) },
    calls: [{ tool: 'one', input: {}, fails: /the moon is full/ }],
  },
  {
    source: 'own',
    name: 'a picture of 900 KB',
    holds: 'it is given, as bytes or as a file',
    tools: [plain],
    script: { answer: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: Buffer.alloc(900_000, 1).toString('base64') }] }) },
    calls: [{ tool: 'one', input: {}, holds: /image\/png/ }],
  },
  {
    source: 'own',
    name: 'a picture in an address of data, in lines of base64',
    holds: 'it is given as clients read it',
    tools: [plain],
    script: { answer: () => ({ content: [{ type: 'image', data: 'data:image/png;base64,iVBORw0K\r\nGgo=' }] }) },
    calls: [{ tool: 'one', input: {}, holds: /"iVBORw0KGgo=".*image\/png|image\/png.*"iVBORw0KGgo="/ }],
    short: true,
  },
  {
    source: 'own',
    name: 'parameters called constructor and toString',
    holds: 'they are absent where nobody gave them',
    tools: [rawTool('one', { type: 'object', properties: { constructor: word, toString: word, a: word } })],
    calls: [{ tool: 'one', input: { a: 'x' }, sees: { a: 'x' }, holds: /x/ }],
    short: true,
  },
];
