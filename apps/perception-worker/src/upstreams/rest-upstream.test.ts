import type { RequestListener } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { json, serve } from '../test-server.js';
import { guardedFetch } from './guarded-fetch.js';
import { RestUpstream } from './rest-upstream.js';
import type { UpstreamCall } from './upstream.js';

const never = new AbortController().signal;
const definition = { name: 'echo', description: 'Say it again.', parameters: { type: 'object', properties: { word: { type: 'string' } } } };

async function upstreamAt(listener: RequestListener) {
  const server = await serve(listener);
  const fetch = guardedFetch({ allowedHosts: [], allowPrivate: true }, { home: server.url, headers: {} });
  return { server, upstream: new RestUpstream(server.url.href, fetch), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const callOf = (given: Partial<UpstreamCall> = {}): UpstreamCall => ({
  tool: 'echo',
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

describe('the list', () => {
  test('is asked for with a POST, and is read', async () => {
    await using at = await upstreamAt(json({ tools: [definition] }));
    expect(await at.upstream.list(never)).toMatchObject({
      tools: [{ name: 'echo', description: 'Say it again.', inputSchema: definition.parameters }],
      malformed: [],
    });
    expect(at.server.requests).toEqual(['POST /tools/list {}']);
  });

  test.each([
    ['parameters', { parameters: { type: 'object', title: 'p' } }],
    ['input_schema', { input_schema: { type: 'object', title: 'p' } }],
    ['inputSchema', { inputSchema: { type: 'object', title: 'p' } }],
  ])('may call the schema %s', async (_name, schema) => {
    await using at = await upstreamAt(json({ tools: [{ name: 'x', ...schema }] }));
    expect((await at.upstream.list(never)).tools).toMatchObject([{ inputSchema: { title: 'p' } }]);
  });

  test('may leave the schema out, and says what a call does', async () => {
    await using at = await upstreamAt(json({ tools: [{ name: 'x', read_only: true, idempotent: false }] }));
    expect((await at.upstream.list(never)).tools).toMatchObject([
      { inputSchema: { type: 'object' }, annotations: { readOnlyHint: true, idempotentHint: false } },
    ]);
  });

  test('names what is no definition, and keeps the rest', async () => {
    await using at = await upstreamAt(json({ tools: [{ name: 5 }, { name: 'bad', parameters: 'x' }, definition] }));
    const { tools, malformed } = await at.upstream.list(never);
    expect(tools).toHaveLength(1);
    expect(malformed.map(({ tool }) => tool)).toEqual(['#1', 'bad']);
  });

  test.each<[string, RequestListener]>([
    ['without tools', json({})],
    ['with tools that are no list', json({ tools: {} })],

    ['that is no JSON', (_request, response) => void response.end('<h1>tools</h1>')],
    ['with a fault', json({ tools: [] }, 500)],
    ['that is not there', json({}, 404)],
  ])('%s is a failure', async (_what, listener) => {
    await using at = await upstreamAt(listener);
    await expect(at.upstream.list(never)).rejects.toThrow();
  });
});

describe('a call', () => {
  test('has name and arguments, and is recorded', async () => {
    const answers: unknown[] = [];
    await using at = await upstreamAt(json({ success: true, data: { word: 'a' } }));
    const call = callOf({ recordUpstreamAnswer: (answer) => void answers.push(answer) });
    expect(await at.upstream.call(call)).toEqual({ kind: 'done', data: { word: 'a' } });
    expect(at.server.requests).toEqual(['POST /tools/call {"name":"echo","arguments":{"word":"a"}}']);
    expect(answers).toEqual([{ api: 'POST /tools/call', status: 200, body: { success: true, data: { word: 'a' } } }]);
  });

  test.each<[string, unknown, unknown]>([
    ['an object', { success: true, data: { a: 1 } }, { a: 1 }],
    ['a value', { success: true, data: 5 }, { result: 5 }],
    ['a list', { success: true, data: [1] }, { result: [1] }],
    ['nothing', { success: true }, { result: undefined }],
    ['an object without an envelope', { a: 1 }, { a: 1 }],
    ['a list without an envelope', [1, 2], { result: [1, 2] }],
  ])('that answers %s is done', async (_what, body, data) => {
    await using at = await upstreamAt(json(body));
    expect(await at.upstream.call(callOf())).toEqual({ kind: 'done', data });
  });

  test.each<[string, unknown, object]>([
    ['a text', 'no such word', { invalidParams: false, message: 'no such word' }],
    ['a message', { message: 'no such word' }, { invalidParams: false, message: 'no such word' }],
    ['a code', { code: 'INVALID_PARAMS', message: 'word is missing' }, { invalidParams: true, message: 'word is missing' }],
    ['nothing', undefined, { invalidParams: false, message: 'The tool failed without a word' }],
    ['something else', 7, { invalidParams: false, message: 'The tool failed without a word' }],
    ['a long text', 'x'.repeat(2_000), { invalidParams: false, message: `${'x'.repeat(1_000)}…` }],
    ['a text that is cut within a character', `${'x'.repeat(999)}😀`, { invalidParams: false, message: `${'x'.repeat(999)}\ufffd…` }],
  ])('that is refused with %s is refused in its words', async (_what, error, refusal) => {
    await using at = await upstreamAt(json({ success: false, error }));
    expect(await at.upstream.call(callOf())).toEqual({ kind: 'refused', ...refusal });
  });

  test('that is refused with a status says what its envelope says', async () => {
    await using at = await upstreamAt(json({ success: false, error: 'no such word' }, 422));
    expect(await at.upstream.call(callOf())).toMatchObject({ kind: 'refused', message: 'no such word' });
  });

  test.each<[string, RequestListener, object]>([
    ['with a fault, whatever its envelope says', json({ success: false, error: 'x' }, 500), { kind: 'service' }],
    ['with a status and no envelope', json({ detail: 'x' }, 404), { kind: 'service', message: expect.stringContaining('404') }],
    ['with a limit', json({}, 429, { 'retry-after': '3' }), { kind: 'rate-limit', hintMs: 3_000 }],
    ['with a page', (_request, response) => void response.end('<h1>Hi</h1>'), { kind: 'service' }],
  ])('that is answered %s fails', async (_what, listener, failure) => {
    await using at = await upstreamAt(listener);
    await expect(at.upstream.call(callOf())).rejects.toMatchObject({ name: 'Failure', ...failure });
  });

  test('that takes longer than its time ends', async () => {
    await using at = await upstreamAt(() => undefined);
    await expect(at.upstream.call(callOf({ timeoutMs: 20 }))).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});
