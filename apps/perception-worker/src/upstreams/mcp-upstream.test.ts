// The client of the Model Context Protocol against a real server of it.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CollectedMeasures, eventually } from '#lib/testing';
import { OutsideServer } from '../../../../test/e2e/outside-server.js';
import { McpUpstream } from './mcp-upstream.js';
import type { ApprovedCall, ServerQuestion } from './upstream.js';

const never = new AbortController().signal;
const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' as const } });

let server: OutsideServer;
let upstream: McpUpstream;
beforeEach(async () => {
  server = await OutsideServer.start();
  server.tools = [tool('echo'), tool('slow')];
  upstream = await McpUpstream.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)), {
    name: 'docs',
    url: `${server.url}/mcp`,
    signal: never,
    timeoutMs: 15_000,
  });
});
afterEach(async () => {
  await upstream.close();
  await server[Symbol.asyncDispose]();
});

const callOf = (given: Partial<ApprovedCall> = {}): ApprovedCall => ({
  tool: 'echo',
  inputSchema: {},
  onLog: () => undefined,
  onQuestion: async () => ({ action: 'cancel' }),
  asks: [],
  modelTools: true,
  caller: 't:u',
  onRequest: async () => ({ action: 'cancel' }),
  onAddress: async () => ({ action: 'cancel' }),
  input: { word: 'a' },
  signal: never,
  timeoutMs: 5_000,
  account: null,
  idempotent: true,
  onProgress: () => undefined,
  recordUpstreamAnswer: () => undefined,
  ...given,
});

test('a connection knows the revision that was agreed on', () => {
  expect(upstream.kind).toBe('mcp');
  expect(upstream.revision).toMatch(/^\d{4}-\d{2}-\d{2}$/);
});

test('messages to a server are measured by the conventions', async () => {
  await using measures = new CollectedMeasures();
  await upstream.list(never);
  await upstream.call(callOf());
  server.answer = async () => ({ content: [{ type: 'text', text: 'None left' }], isError: true });
  await upstream.call(callOf({ tool: 'slow' }));
  const points = await measures.of('mcp.client.operation.duration');
  const of = (method: string) =>
    points.filter(({ attributes }) => attributes['mcp.method.name'] === method).map(({ attributes }) => attributes);
  const { hostname, port } = new URL(server.url);
  const about = {
    'mcp.protocol.version': upstream.revision,
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'server.address': hostname,
    'server.port': Number(port),
  };
  expect(of('tools/list')).toEqual([{ ...about, 'mcp.method.name': 'tools/list' }]);
  expect(of('tools/call')).toEqual([
    { ...about, 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'echo' },
    expect.objectContaining({ 'gen_ai.tool.name': 'slow', 'error.type': 'tool_error' }),
  ]);
});

test('a message that is given up has failed', async () => {
  await using measures = new CollectedMeasures();
  const stop = new AbortController();
  server.answer = async () => await new Promise(() => undefined);
  const asked = upstream.call(callOf({ tool: 'slow', signal: stop.signal })).catch(() => null);
  await eventually(() => server.calls.some(({ name }) => name === 'slow'), { what: 'the call' });
  stop.abort();
  await asked;
  const points = await measures.of('mcp.client.operation.duration');
  const call = points.find(({ attributes }) => attributes['gen_ai.tool.name'] === 'slow');
  expect(call?.attributes['error.type']).toBe('cancelled');
});

describe('the list', () => {
  test('holds the tools of the server', async () => {
    expect((await upstream.list(never)).tools.map(({ name }) => name)).toEqual(['echo', 'slow']);
  });

  test('that names the same page again is read once more, and no tool counts twice', async () => {
    server.endlessList = true;
    expect((await upstream.list(never)).tools).toHaveLength(2);
  });
});

describe('parameters that are headers too', () => {
  const marked = (mark: string) => ({ type: 'object' as const, properties: { region: { type: 'string', 'x-mcp-header': mark } } });

  test('are sent as both, encoded where a header cannot hold them', async () => {
    const inputSchema = marked('Region');
    for (const [region, header] of [
      ['us-west1', 'us-west1'],
      ['世界', '=?base64?5LiW55WM?='],
    ]) {
      await upstream.call(callOf({ inputSchema, input: { region } }));
      expect(server.calls.at(-1)).toMatchObject({ input: { region }, headers: { 'mcp-param-region': header } });
    }
    await upstream.call(callOf({ inputSchema, input: {} }));
    expect(server.calls.at(-1)?.headers).not.toHaveProperty('mcp-param-region');
  });

  test('whose marks cannot be followed cost their own tool alone', async () => {
    server.tools = [tool('echo'), { ...tool('marked'), inputSchema: marked('no header') }];
    const { tools, malformed } = await upstream.list(never);
    expect(tools.map(({ name }) => name)).toEqual(['echo']);
    expect(malformed).toEqual([{ tool: 'marked', reason: 'its x-mcp-header must be the name of a header' }]);
  });
});

describe('a question of the server', () => {
  const form = { type: 'object' as const, properties: { size: { type: 'string' as const, enum: ['s', 'm'] } }, required: ['size'] };

  test('is put to the caller of its call, also where several run at once', async () => {
    server.question = { message: 'Which size?', requestedSchema: form };
    const ask = async (size: string) => {
      const asked: ServerQuestion[] = [];
      const onQuestion: ApprovedCall['onQuestion'] = async (question) => {
        asked.push(question);
        await new Promise((resolve) => setTimeout(resolve, 20));
        return { action: 'accept', content: { size } };
      };
      const answer = await upstream.call(callOf({ tool: 'asking', onQuestion }));
      return { asked, answer: JSON.stringify(answer) };
    };
    for (const [place, { asked, answer }] of (await Promise.all(['s', 'm', 's'].map(ask))).entries()) {
      expect(asked).toEqual([{ message: 'Which size?', form: expect.objectContaining(form) }]);
      expect(answer).toContain(place === 1 ? String.raw`\"m\"` : String.raw`\"s\"`);
    }
  });

  test('that is declined is told to the server', async () => {
    const answer = await upstream.call(callOf({ tool: 'asking', onQuestion: async () => ({ action: 'decline' }) }));
    expect(JSON.stringify(answer)).toContain('decline');
  });
});

describe('a call', () => {
  test('gives the blocks of the answer, and is recorded', async () => {
    const answers: { readonly api: string; readonly status: string | number }[] = [];
    const answer = await upstream.call(callOf({ recordUpstreamAnswer: (one) => void answers.push(one) }));
    expect(answer).toEqual({ kind: 'done', data: { content: [{ type: 'text', text: 'echo {"word":"a"}' }] } });
    expect(answers).toMatchObject([{ api: 'tools/call echo', status: 'result' }]);
    expect(server.calls).toMatchObject([{ name: 'echo', input: { word: 'a' } }]);
  });

  test('gives structured content where there is some', async () => {
    server.answer = () => ({ content: [{ type: 'text', text: 'as text' }], structuredContent: { as: 'data' } });
    expect(await upstream.call(callOf())).toEqual({ kind: 'done', data: { as: 'data' } });
  });

  test.each([
    [
      'text',
      [
        { type: 'text' as const, text: 'no such word' },
        { type: 'text' as const, text: 'try another' },
      ],
      'no such word\ntry another',
    ],
    ['nothing', [], 'The tool failed without a word'],
  ])('that fails with %s is refused', async (_what, content, message) => {
    server.answer = () => ({ content, isError: true });
    expect(await upstream.call(callOf())).toEqual({ kind: 'refused', invalidParams: false, message });
  });

  test('tells how far it is, as a share of the whole', async () => {
    const steps: [number, string][] = [];
    await upstream.call(callOf({ tool: 'slow', onProgress: (percent, message) => void steps.push([percent, message]) }));
    expect(steps).toEqual([
      [25, 'part 1'],
      [50, 'part 2'],
    ]);
  });

  test('ends with its signal, and the connection goes on', async () => {
    const stop = new AbortController();
    server.answer = (name) => {
      if (name === 'slow') stop.abort(new Error('nobody waits'));
      return { content: [] };
    };
    await expect(upstream.call(callOf({ tool: 'slow', signal: stop.signal }))).rejects.toThrow();
    expect(await upstream.call(callOf())).toMatchObject({ kind: 'done' });
  });

  test('that takes longer than its time fails', async () => {
    server.answer = () => new Promise(() => undefined);
    await expect(upstream.call(callOf({ timeoutMs: 50 }))).rejects.toThrow();
  });
});

test('what the server logs goes to its call, also where several run at once', async () => {
  server.logs = [{ level: 'warning', data: { full: true }, logger: 'disk' }];
  const logsOf = async () => {
    const lines: unknown[] = [];
    await upstream.call(callOf({ tool: 'logging', onLog: (line) => void lines.push(line) }));
    return lines;
  };
  for (const lines of await Promise.all([logsOf(), logsOf(), logsOf()]))
    expect(lines).toEqual([expect.objectContaining({ level: 'warning', data: { full: true }, logger: 'disk' })]);
});

test('a message of progress is cut', async () => {
  const messages: string[] = [];
  server.progressMessage = 'x'.repeat(100_000);
  await upstream.call(callOf({ tool: 'slow', onProgress: (_percent, message) => void messages.push(message) }));
  expect(messages.map((message) => message.length)).toEqual([1_001, 1_001]);
});
