// A key that is for some tools alone: the others are not there, whatever the door and the spelling.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { batchShape, HttpCaller, startTimeoutMs } from '#lib/testing';
import { meta } from '../../../../test/e2e/mcp-messages.js';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

let gateway: TestGateway;
/** For `calc_metrics` and the tools that begin with `search_`. */
let narrow: HttpCaller;
let wide: HttpCaller;

const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const metrics = { bmi: 22.9, bmr: 1_600, tdee: 2_500, body_fat_estimate: 15 };

beforeAll(async () => {
  gateway = await startTestGateway({ handler: async () => ({ ok: true, data: metrics }) });
  narrow = await gateway.caller({ tools: ['Calc_Metrics', 'search_*'] });
  wide = await gateway.caller();
}, startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
/** A message of the newest revision, and of one before it. */
const messages = (method: string, params: { readonly name?: string; readonly arguments?: object }) => [
  [rpc(method, { ...params, _meta: meta() }), mcpHeaders(method, params.name)] as const,
  [rpc(method, params), { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }] as const,
];
const mcpHeaders = (method: string, name?: string) => ({
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});

describe('what a narrowed key sees', () => {
  test.each([
    'GET /tools',
    'GET /tools?format=openai',
    'GET /tools?format=anthropic',
    'GET /tools?format=mcp',
    'GET /tools?domain=profile',
    'POST /tools/list',
    'GET /openapi.json',
  ])('%s has its tools and no others', async (line) => {
    const [method = '', path = ''] = line.split(' ');
    const read = async (caller: HttpCaller) => (await caller.request(path, { method, ...(method === 'POST' && { json: {} }) })).text;
    expect(await read(narrow)).toContain('calc_metrics');
    expect(await read(narrow)).not.toContain('user_profile_lookup');
    expect(await read(wide)).toContain('user_profile_lookup');
  });

  test('MCP lists its tools and no others', async () => {
    for (const [message, headers] of messages('tools/list', {})) {
      const { text } = await narrow.post('/mcp', message, headers);
      expect(text).toContain('"calc_metrics"');
      expect(text).toContain('"search_documents"');
      expect(text).not.toContain('user_profile_lookup');
    }
  });

  test('a list that was read with another key is not its list', async () => {
    const etag = (await wide.get('/tools')).headers.get('etag') ?? '';
    expect((await narrow.get('/tools', { 'if-none-match': etag })).status).toBe(200);
  });
});

describe('a narrowed key calls', () => {
  test.each(['calc_metrics', 'CalcMetrics', 'calcmetrics', 'calc_metrics@2', '%63alc_metrics'])('its own tool as %s', async (name) => {
    expect((await narrow.post(`/tools/${name}`, body)).status).toBe(200);
  });

  test.each([
    'user_profile_lookup',
    'UserProfileLookup',
    'userprofilelookup',
    'user_profile_lookup@2',
    'user_profile_lookup@^2.0.0',
    '%75ser_profile_lookup',
    'user_profile_lookup%402',
    'USERPROFILELOOKUP',
  ])('no other, at no door: %s', async (path) => {
    const name = decodeURIComponent(path);
    const json = { user_id: 'user_001' };
    const replies = await Promise.all([
      narrow.post(`/tools/${path}`, json),
      narrow.post(`/tools/${path}/sse`, json),
      narrow.post(`/tools/${path}`, json, { accept: 'text/event-stream' }),
      narrow.post(`/tools/${path}`, json, { prefer: 'respond-async' }),
      narrow.post('/tools/call', { name, arguments: json }),
      narrow.get(`/tools/${path}`),
      narrow.get(`/tools/${path}/sse?user_id=user_001`),
    ]);
    // A stream tells it as its one event.
    for (const { text } of replies) expect(text).toContain('"code":"TOOL_NOT_FOUND"');
    // Nor is it told what an alias stands for.
    const known = name.split('@')[0] === 'user_profile_lookup';
    for (const { text } of replies) expect(!known && text.includes('user_profile_lookup')).toBe(false);
    expect((await narrow.post(`/aurawell/${path}`, json)).status).toBe(404);
    const { results } = (
      await narrow.post('/tools/batch', {
        calls: [
          { id: 'a', name, arguments: json },
          { id: 'b', name: 'calc_metrics', arguments: body },
        ],
      })
    ).as(batchShape);
    expect(results.map(({ envelope }) => envelope.error?.code ?? 'served')).toEqual(['TOOL_NOT_FOUND', 'served']);
    for (const [message, headers] of messages('tools/call', { name, arguments: json }))
      expect((await narrow.post('/mcp', message, headers)).text).toContain('not found');
  });

  test('no other by a ticket that it got', async () => {
    const { ticket } = Object((await narrow.post('/tickets', {})).body);
    const path = `/tools/user_profile_lookup/sse?user_id=user_001&ticket=${ticket}`;
    const { text } = await new HttpCaller(gateway.url, null).get(path, { accept: 'text/event-stream' });
    expect(text).toContain('"code":"TOOL_NOT_FOUND"');
  });

  test('no other when it speaks for a user', async () => {
    const actor = await gateway.caller({ userId: null, scopes: ['act-as', 'tools:read'], tools: ['calc_metrics'] });
    const acting = actor.with({ 'x-user-id': 'user_001' });
    expect((await acting.post('/tools/user_profile_lookup', { user_id: 'user_001' })).status).toBe(404);
    expect((await acting.post('/tools/calc_metrics', body)).status).toBe(200);
  });

  test('no other by replaying a call of the same user', async () => {
    const json = { user_id: 'user_001' };
    const { job_id: jobId } = (await wide.call('user_profile_lookup', json, { 'cache-control': 'no-cache' })).envelope.metadata;
    expect((await narrow.post(`/jobs/${jobId}/replay`, {})).status).toBe(404);
  });
});
