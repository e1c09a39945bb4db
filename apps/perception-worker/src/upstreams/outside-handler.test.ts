import { describe, expect, test } from '@jest/globals';
import { outsideContract, type OutsideServer, type OutsideTool } from '#lib/contracts';
import { runTool } from '#lib/handlers';
import { documents } from '../openapi/test-documents.js';
import { outsideHandler } from './outside-handler.js';
import type { UpstreamServices } from './services.js';
import { keptFiles, reportFiles } from './test-report-files.js';
import type { UpstreamCall } from './upstream.js';

type Answer = Awaited<ReturnType<UpstreamServices['upstreams']['call']>>;

const server = {
  tenantId: null,
  name: 'docs',
  kind: 'rest',
  approval: 2,
  timeoutMs: 5_000,
  cacheTtlSeconds: null,
  connection: null,
  mayAsk: [],
  apps: { domains: [], permissions: [] },
} as const;
const tool: OutsideTool = { name: 'search', inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] } };
const caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' } as const;

/** Runs the tool with a server that gives this answer. */
async function run(answer: Answer, input: unknown = { word: 'a' }, approved: OutsideServer['tools'][number] = tool) {
  const calls: UpstreamCall[] = [];
  const services: UpstreamServices = {
    servers: {
      approve: () => Promise.reject(new Error('not used')),
      find: async () => null,
      headersOf: () => ({}),
      credentialsOf: () => ({}),
      isForAll: async () => false,
    },
    accounts: { access: () => Promise.reject(new Error('not used')) },
    reportFiles,
    upstreamRules: { allowedHosts: [], allowPrivate: true, commands: {}, documents },
    upstreams: {
      ask: () => Promise.reject(new Error('not used')),
      call: async (_upstream, call) => {
        calls.push(call);
        return answer;
      },
    },
  };
  const attempt = {
    jobId: 'j',
    number: 1,
    input,
    caller,
    sessionId: null,
    stop: new AbortController().signal,
    onProgress: () => undefined,
  };
  return { result: await runTool(outsideHandler(outsideContract(server, approved)), services, attempt), calls };
}
test('a parameter has any name, and is absent where nobody gave it', async () => {
  const text = { type: 'string' };
  const odd: OutsideTool = {
    name: 'odd',
    inputSchema: { type: 'object', properties: { constructor: text, toString: text, 'a b': text, '': text } },
  };
  const answer: Answer = { kind: 'done', data: { a: 1 } };
  for (const input of [{}, { 'a b': '1', '': '2' }, { constructor: 'c', toString: 't' }]) {
    const { result, calls } = await run(answer, input, odd);
    expect([result.kind, calls[0]?.input]).toEqual(['done', input]);
  }
});

const done = (data: unknown): Answer => ({ kind: 'done', data });

describe('a tool of an outside server', () => {
  test('is called with its own parameters, and not with ours', async () => {
    const { calls, result } = await run(done({ found: 1 }), { word: 'a', max_length: 500, return_summary: false });
    expect(calls).toMatchObject([{ tool: 'search', input: { word: 'a' }, timeoutMs: 5_000 }]);
    expect(result).toMatchObject({ kind: 'done', data: { found: 1 } });
  });

  test('has its long texts cut, and says so', async () => {
    const { result } = await run(done({ text: 'A sentence of words. '.repeat(500) }), { word: 'a', max_length: 500 });
    expect(result).toMatchObject({ kind: 'done', data: { truncated: true, truncation_info: expect.anything() } });
  });

  test('keeps parameters of our names where they are its own', async () => {
    const own: OutsideTool = { name: 'search', inputSchema: { type: 'object', properties: { max_length: { type: 'integer' } } } };
    const { calls } = await run(done({ text: 'x'.repeat(10_000) }), { max_length: 5 }, own);
    expect(calls).toMatchObject([{ input: { max_length: 5 } }]);
  });

  test.each<[string, Answer, object]>([
    [
      'says no',
      { kind: 'refused', invalidParams: false, message: 'nothing there' },
      { code: 'EXECUTION_ERROR', message: 'docs says: nothing there' },
    ],
    [
      'does not take the parameters',
      { kind: 'refused', invalidParams: true, message: 'word?' },
      { code: 'INVALID_PARAMS', message: 'docs says: word?' },
    ],
    [
      'has changed',
      { kind: 'changed', reason: 'its server changed it' },
      { code: 'CONFLICT', message: expect.stringContaining('suspended: its server changed it') },
    ],
  ])('that %s is refused', async (_what, answer, error) => {
    expect((await run(answer)).result).toMatchObject({ kind: 'refused', error });
  });

  test('that is suspended is not called', async () => {
    const { result, calls } = await run(done({}), { word: 'a' }, { ...tool, suspended: 'it was changed' });
    expect(result).toMatchObject({ kind: 'refused', error: { code: 'CONFLICT' } });
    expect(calls).toEqual([]);
  });

  test('has a long answer made a file, with its beginning and a link', async () => {
    const own: OutsideTool = { name: 'search', inputSchema: { type: 'object', properties: { max_length: { type: 'integer' } } } };
    expect((await run(done({ text: 'x'.repeat(1_048_000) }), {}, own)).result).toMatchObject({ kind: 'done', warnings: [] });
    const { result } = await run(done({ text: 'x'.repeat(1_049_000) }), {}, own);
    expect(result).toMatchObject({
      kind: 'done',
      data: {
        truncated: true,
        beginning: expect.stringMatching(/^\{"text":"x{1,2000}$/),
        url: expect.stringContaining('https://invoq.example.com/files/'),
        filename: 'docs__search-1.json',
        mime_type: 'application/json',
        size_bytes: 1_049_011,
      },
      warnings: [expect.stringContaining('it is a file')],
    });
  });

  test('has a large picture made a file, and a small one left', async () => {
    const image = (bytes: number) => ({ type: 'image', data: Buffer.alloc(bytes, 7).toString('base64'), mimeType: 'image/png' });
    const answer = done({ content: [{ type: 'text', text: 'shot' }, image(900_000), image(10_000)] });
    const { result } = await run(answer);
    if (result.kind !== 'done') throw new Error(result.kind);
    const { content } = result.data as { content: { uri?: string }[] };
    expect(content).toEqual([
      { type: 'text', text: 'shot' },
      { type: 'resource_link', uri: expect.any(String), name: 'docs__search-1.png', mimeType: 'image/png', size: 900_000 },
      image(10_000),
    ]);
    expect(keptFiles.get(content[1]?.uri?.split('/').at(-1) ?? '')).toEqual(Buffer.alloc(900_000, 7));
    // A second attempt writes the same file.
    expect((await run(answer)).result).toMatchObject({ data: { content } });
    expect(result.warnings).toEqual([expect.stringContaining('docs__search-1.png is too large')]);
  });

  test('has many pictures made files once they are too large together', async () => {
    const block = () => ({
      type: 'resource',
      resource: { uri: 'a:b', mimeType: 'image/jpeg', blob: Buffer.alloc(200_000).toString('base64') },
    });
    const { result } = await run(done({ content: [block(), block(), block()] }));
    if (result.kind !== 'done') throw new Error(result.kind);
    const { content } = result.data as { content: { type: string; name?: string }[] };
    expect(content.map(({ type, name }) => [type, name])).toEqual([
      ['resource', undefined],
      ['resource', undefined],
      ['resource_link', 'docs__search-1.jpg'],
    ]);
  });

  const declared: OutsideTool = {
    ...tool,
    outputSchema: { type: 'object', properties: { id: { type: 'string' }, opt: { type: 'string' } } },
  };
  test.each<[string, object, object, readonly unknown[]]>([
    [
      'breaks what it declared',
      { id: '1', opt: null },
      { id: '1', opt: null },
      [expect.stringContaining("the field 'opt' must be string, not null")],
    ],
    ['is what it declared', { id: '1' }, { id: '1' }, []],
    [
      'holds it as text alone',
      { content: [{ type: 'text', text: '{"id":"1"}' }] },
      { id: '1' },
      [expect.stringContaining('gave as text what it declares')],
    ],
    [
      'is words where data was declared',
      { content: [{ type: 'text', text: 'words' }] },
      { content: [{ type: 'text', text: 'words' }] },
      [],
    ],
  ])('has an answer that %s given, with what is wrong', async (_what, data, given, warnings) => {
    expect((await run(done(data), { word: 'a' }, declared)).result).toMatchObject({ kind: 'done', data: given, warnings });
  });
});

test('a contract of our own is none for this handler', async () => {
  const { upstream: _upstream, ...contract } = outsideContract(server, tool);
  const handler = outsideHandler(contract);
  expect(() => handler.run).not.toThrow();
  const attempt = {
    jobId: 'j',
    number: 1,
    input: {},
    caller,
    sessionId: null,
    stop: new AbortController().signal,
    onProgress: () => undefined,
  };
  const services = {
    servers: {
      approve: () => Promise.reject(new Error()),
      find: async () => null,
      headersOf: () => ({}),
      credentialsOf: () => ({}),
      isForAll: async () => false,
    },
    accounts: { access: () => Promise.reject(new Error('not used')) },
    reportFiles,
    upstreamRules: { allowedHosts: [], allowPrivate: true, commands: {}, documents },
    upstreams: { call: () => Promise.reject(new Error()), ask: () => Promise.reject(new Error()) },
  };
  expect(await runTool(handler, services, attempt)).toMatchObject({ kind: 'failed', failure: 'internal' });
});

test("a tool of another tenant's server is not called, whoever found it", async () => {
  const contract = outsideContract({ ...server, tenantId: 'bolt' }, tool);
  const calls: unknown[] = [];
  const services = {
    reportFiles,
    accounts: { access: () => Promise.reject(new Error('not used')) },
    servers: {
      approve: () => Promise.reject(new Error()),
      find: async () => null,
      headersOf: () => ({}),
      credentialsOf: () => ({}),
      isForAll: async () => false,
    },
    upstreamRules: { allowedHosts: [], allowPrivate: true, commands: {}, documents },
    upstreams: { call: async (...given: unknown[]) => (calls.push(given), done({})), ask: () => Promise.reject(new Error()) },
  };
  const attempt = {
    jobId: 'j',
    number: 1,
    input: { word: 'a' },
    sessionId: null,
    stop: new AbortController().signal,
    onProgress: () => undefined,
  };
  const of = (tenantId: string) => runTool(outsideHandler(contract), services, { ...attempt, caller: { ...caller, tenantId } });
  expect(await of('acme')).toMatchObject({ kind: 'failed', failure: 'internal' });
  expect(calls).toEqual([]);
  expect(await of('bolt')).toMatchObject({ kind: 'done' });
});
