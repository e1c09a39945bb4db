// A catalog that is searched by words, by the official client in both eras, and by HTTP.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { tokensOf, userScopes } from '#lib/contracts';
import { HttpCaller, startTimeoutMs, type KeyOptions } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../../test-gateway.js';

let gateway: TestGateway;
const clients: Client[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({ handler: ({ head }) => ({ ok: true, data: { made: String(head.input['order']) } }) });
}, startTimeoutMs);

afterAll(async () => {
  for (const client of clients) await client.close();
  await gateway?.[Symbol.asyncDispose]();
});

async function connected(query: string, options: KeyOptions = {}, version: { readonly modern: boolean } = { modern: true }) {
  const client = new Client({ name: 'test', version: '1' }, version.modern ? { versionNegotiation: { mode: 'auto' } } : {});
  const headers = { authorization: `Bearer ${await gateway.tenant.key(options)}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`/mcp${query}`, gateway.url), { requestInit: { headers } }));
  clients.push(client);
  return client;
}

const found = z.object({ tools: z.array(z.object({ name: z.string(), description: z.string(), inputSchema: z.looseObject({}) })) });
const namesIn = (result: unknown) =>
  found.parse(z.looseObject({ structuredContent: z.unknown() }).parse(result).structuredContent).tools.map(({ name }) => name);
const textIn = (result: unknown) =>
  z.looseObject({ content: z.array(z.looseObject({ text: z.string() })) }).parse(result).content[0]?.text ?? '';
const plain = { name: 'call_tool', arguments: { name: 'test_plain', arguments: { order: 'a' } } };

describe('/mcp?tools=search', () => {
  test.each([true, false])('lists two tools, finds the others by words and calls them (newest revision: %s)', async (modern) => {
    const client = await connected('?tools=search', {}, { modern });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool']);
    expect(tokensOf(tools)).toBeLessThan(1_000);
    const names = namesIn(await client.callTool({ name: 'search_tools', arguments: { query: 'current weather of a city' } }));
    expect([names[0], names.length <= 5]).toEqual(['get_weather', true]);
    const called = await client.callTool(plain);
    expect(called).toMatchObject({ structuredContent: { success: true, data: { made: 'a' }, metadata: { tool_name: 'test_plain' } } });
  });

  test('gives data alone where the address asks for it, and only what its other filters show', async () => {
    const client = await connected('?tools=search&result=data&read_only=true');
    expect(await client.callTool(plain)).toMatchObject({ structuredContent: { made: 'a' } });
    const names = namesIn(await client.callTool({ name: 'search_tools', arguments: { query: 'create a node', limit: 20 } }));
    expect(names).not.toContain('create_node');
    await expect(client.callTool({ name: 'call_tool', arguments: { name: 'create_node', arguments: {} } })).rejects.toThrow(
      /not among those/,
    );
  });

  test('finds nothing that the key may not call', async () => {
    const reader = await connected('?tools=search', { scopes: ['tools:read'] });
    const query = { query: 'create a node', limit: 20 };
    expect(namesIn(await reader.callTool({ name: 'search_tools', arguments: query }))).not.toContain('create_node');
    const writer = await connected('?tools=search', { scopes: userScopes });
    expect(namesIn(await writer.callTool({ name: 'search_tools', arguments: query }))[0]).toBe('create_node');
    const narrow = await connected('?tools=search', { scopes: userScopes, tools: ['get_*'] });
    expect(namesIn(await narrow.callTool({ name: 'search_tools', arguments: query }))).not.toContain('create_node');
  });

  test('tells a model in words what was wrong, and goes on', async () => {
    const client = await connected('?tools=search');
    const wrong = async (params: Record<string, unknown>, name = 'call_tool') => client.callTool({ name, arguments: params });
    expect(textIn(await wrong({ name: 'no_such_tool', arguments: {} }))).toContain('search_tools');
    expect(textIn(await wrong({ name: 'test_plain', arguments: [] }))).toContain("'arguments' an object");
    expect(textIn(await wrong({}))).toContain("'name' must be");
    expect(textIn(await wrong({ query: '' }, 'search_tools'))).toContain('query');
    expect(textIn(await wrong({ query: 'qqqq zzzz' }, 'search_tools'))).toContain('other words');
    expect(textIn(await wrong({ name: 'test_plain', arguments: { order: 5 } }))).toContain('INVALID_PARAMS');
    expect(await wrong({ name: 'test_plain', arguments: '{"order":"b"}' })).toMatchObject({ structuredContent: { data: { made: 'b' } } });
  });

  test('is asked for by this word alone: a list of names stays one', async () => {
    const client = await connected('?tools=search,test_plain');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['test_plain']);
  });
});

describe('GET /tools?query=', () => {
  const list = z.looseObject({
    tools: z.array(z.looseObject({ name: z.string(), defer_loading: z.boolean().optional() })),
    matches: z.array(z.object({ name: z.string(), score: z.number(), tokens: z.number() })),
    tokens: z.number(),
  });
  const ask = async (query: string, options: KeyOptions = {}) => {
    const caller = new HttpCaller(gateway.url, await gateway.tenant.key(options));
    return caller.get(`/tools?${query}`);
  };

  test('ranks what the caller may call, in English and Chinese, within a budget of tokens', async () => {
    const first = (await ask('query=weather%20forecast&limit=3')).as(list);
    expect(first.tools[0]?.name).toBe('get_weather');
    expect(first.matches.map(({ name }) => name)).toEqual(first.tools.map(({ name }) => name));
    for (const [words, name] of [
      ['天气', 'get_weather'],
      ['今天天气怎么样', 'get_weather'],
      ['身体指标', 'calc_metrics'],
    ] as const)
      expect((await ask(`query=${encodeURIComponent(words)}&limit=3`)).as(list).tools.map((one) => one.name)).toContain(name);
    const small = (await ask('query=node&limit=50&max_tokens=1500&format=openai')).as(list.extend({ tools: z.array(z.looseObject({})) }));
    expect([small.tokens <= 1_500, small.tools.length > 0]).toEqual([true, true]);
    expect(
      (await ask('query=create%20a%20node&limit=50', { scopes: ['tools:read'] })).as(list).tools.map(({ name }) => name),
    ).not.toContain('create_node');
  });

  test('marks for Anthropic what a model loads when it finds it', async () => {
    const { tools } = (await ask('format=anthropic&defer_loading=true&query=weather&limit=1')).as(list);
    expect([tools[0]?.name, tools[0]?.defer_loading]).toEqual(['get_weather', undefined]);
    expect([tools.length > 20, tools.slice(1).every((tool) => tool.defer_loading === true)]).toEqual([true, true]);
  });

  test.each([
    'query=',
    'limit=3',
    'query=a&limit=0',
    'query=a&limit=51',
    'query=a&max_tokens=0',
    'defer_loading=true',
    `query=${'a'.repeat(501)}`,
  ])('refuses %s by its name', async (query) => {
    const reply = await ask(query);
    expect([reply.status, reply.text]).toEqual([400, expect.stringMatching(/query|limit|max_tokens|defer_loading/)]);
  });
});
