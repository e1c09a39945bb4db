// Results that are too long for a model: cut where one reads, and read on, whoever made them.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { Invoq } from '#lib/client';
import { serve, tool, type ServedWorker } from '#lib/serve';
import { acceptedShape, dayMs, envelopeShape, givenStores, HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import { chat, scripted, startChatSystem, type ChatSystem } from '../chat-system.js';
import { inProcess } from '../in-process.js';
import { OutsideServer } from '../outside-server.js';
import { outsideTool } from '../outside-system.js';
import { makeSkillFolder, type SkillFolder } from '../skill-folder.js';

const most = 4_000;
const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `山 "${id}" 😀` }));
const list = z.object({ rows: z.array(z.object({ id: z.number(), name: z.string() })) });
const cutShape = z.looseObject({
  truncated: z.literal(true),
  characters: z.number().optional(),
  result_id: z.string(),
  url: z.string(),
  read_on: z.string(),
  beginning: z.string(),
});
const partShape = z.object({ characters: z.number(), offset: z.number(), next_offset: z.number().nullable(), text: z.string() });

describe('a result that is too long for a model', () => {
  let lab: ChatSystem;
  let skills: SkillFolder;
  let outside: OutsideServer;
  let worker: ServedWorker;
  let user: HttpCaller;
  let userKey: string;
  let made = 0;

  beforeAll(async () => {
    skills = await makeSkillFolder();
    await skills.write('core', 'Core text.', ['list_orders']);
    outside = await OutsideServer.start();
    outside.tools = [outsideTool('dump')];
    // Short texts are not cut by `max_length`.
    const block = (word: unknown) => ({ type: 'text' as const, text: `${String(word)} `.repeat(20) });
    outside.answer = (_name, { word }) => ({ content: Array.from({ length: word === 'much' ? 10_000 : 200 }, () => block(word)) });
    lab = await startChatSystem({
      inProcess,
      env: { RESULT_CHARACTERS: String(most) },
      agentEnv: { SKILLS_DIR: skills.path },
      more: [{ main: 'dist/apps/perception-worker/src/main.js', env: { UPSTREAM_RECHECK_MS: '300' } }],
    });
    const { system } = lab;
    userKey = await system.tenant.key({ tier: 'vip' });
    user = new HttpCaller(system.gateway.url, userKey);
    const admin = await system.admin();
    const registered = await admin.post('/mcp/servers', { name: 'docs', url: outside.url });
    if (registered.status !== 201) throw new Error(registered.text);
    const isServing = Promise.withResolvers<void>();
    const given = { effect: 'read', output: list, domain: 'sales' } as const;
    const handler = ({ count }: { count: number }) => ({ rows: rows(count) });
    worker = serve({
      tools: [
        tool({ ...given, name: 'list_orders', description: 'List orders.', input: z.object({ count: z.int() }) }, (input) => {
          made += 1;
          return handler(input);
        }),
        tool(
          {
            ...given,
            name: 'list_shared',
            description: 'List what is shared.',
            input: z.object({ count: z.int() }),
            cache: { ttlSeconds: 60, scope: 'tenant' },
          },
          handler,
        ),
        tool(
          { ...given, name: 'tell', output: z.object({ text: z.string() }), description: 'Tell.', input: z.object({ length: z.int() }) },
          ({ length }) => ({
            text: 'x'.repeat(length),
          }),
        ),
      ],
      url: system.gateway.url,
      key: await system.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true }),
      domain: 'sales',
      stopsOnSignal: false,
      onEvent: ({ kind }) => kind === 'serving' && isServing.resolve(),
    });
    await isServing.promise;
  }, startTimeoutMs);
  afterAll(async () => {
    await worker?.stop();
    await lab?.[Symbol.asyncDispose]();
    await outside?.[Symbol.asyncDispose]();
    await skills?.[Symbol.asyncDispose]();
  });

  const connect = async (query = '', key = userKey) => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const url = new URL(`/mcp${query}`, lab.system.gateway.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } }));
    return { client, [Symbol.asyncDispose]: () => client.close() };
  };
  const textOf = (result: Awaited<ReturnType<Client['callTool']>>): string => {
    const [first] = result.content;
    return first?.type === 'text' ? first.text : '';
  };
  /** The whole, as a model reads it. */
  const readOn = async (client: Client, resultId: string) => {
    let whole = '';
    for (let offset: number | null = 0; offset !== null;) {
      const result = await client.callTool({ name: 'get_result', arguments: { result_id: resultId, offset, limit: 3_000 } });
      const text = textOf(result);
      expect(text.length).toBeLessThan(most + 1_000);
      const part = partShape.parse(JSON.parse(text).data ?? JSON.parse(text));
      whole += part.text;
      offset = part.next_offset;
    }
    return whole;
  };

  describe.each([
    ['in the envelope', '', (text: string) => JSON.parse(text).data],
    ['as data', '?result=data', (text: string) => JSON.parse(text)],
    ['as text', '?result=text', (text: string) => JSON.parse(text)],
  ] as const)('%s over MCP', (_form, query, dataIn) => {
    test('is its beginning, and is read on to the end', async () => {
      await using connection = await connect(query);
      const { client } = connection;
      await client.listTools();
      const result = await client.callTool({ name: 'list_orders', arguments: { count: 1_000 } });
      const cut = cutShape.parse(dataIn(textOf(result)));
      expect(JSON.stringify(cut).length).toBeLessThanOrEqual(most);
      expect(cut.read_on).toContain('Call get_result with');
      expect(JSON.parse(await readOn(client, cut.result_id))).toEqual({ rows: rows(1_000) });
    });

    test('is whole for programs, by the schema of its tool', async () => {
      await using connection = await connect(query);
      const { tools } = await connection.client.listTools();
      const result = await connection.client.callTool({ name: 'list_orders', arguments: { count: 1_000 } });
      const structured = Object(result.structuredContent);
      if (query === '?result=text') {
        expect(result).not.toHaveProperty('structuredContent');
        expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
      } else expect(structured.data ?? structured).toEqual({ rows: rows(1_000) });
    });

    test('is whole up to the bound, and one character more is cut', async () => {
      await using connection = await connect(query);
      const length = most - '{"text":""}'.length;
      const called = async (more: number) =>
        dataIn(textOf(await connection.client.callTool({ name: 'tell', arguments: { length: length + more } })));
      expect(await called(0)).toEqual({ text: 'x'.repeat(length) });
      expect(await called(1)).toMatchObject({ truncated: true, characters: most + 1 });
    });
  });

  test('of an outside server is read on, also where it is a file', async () => {
    await using connection = await connect('?result=data');
    const called = async (word: string) =>
      cutShape.parse(
        JSON.parse(textOf(await connection.client.callTool({ name: 'docs__dump', arguments: { word, max_length: 100_000 } }))),
      );
    const cut = await called('some');
    expect(await readOn(connection.client, cut.result_id)).toContain('some some');
    const { result_id: id, filename, beginning } = await called('much');
    expect(filename).toBe('docs__dump-1.json');
    const reader = new Invoq({ url: lab.system.gateway.url, key: userKey });
    const part = await reader.result(id, { offset: beginning.length });
    expect(part).toMatchObject({ tool_name: 'docs__dump', offset: beginning.length });
    expect(part.characters).toBeGreaterThan(1_000_000);
    const last = await reader.result(id, { offset: part.characters - 3 });
    expect(last).toMatchObject({ next_offset: null, text: expect.stringMatching(/\}$/) });
  });

  test('of the product itself is read on, by the tool that finds tools too', async () => {
    await using connection = await connect('?tools=search&result=data');
    const call = async (name: string, input: object) =>
      textOf(await connection.client.callTool({ name: 'call_tool', arguments: { name, arguments: input } }));
    const cut = cutShape.parse(JSON.parse(await call('list_orders', { count: 300 })));
    expect(cut.read_on).toContain('call_tool with the name get_result');
    expect(await call('get_result', { result_id: cut.result_id, offset: cut.beginning.length })).toContain('"next_offset"');
  });

  test('that a cache or a shared run gives is read on by whoever was given it, and by nobody else', async () => {
    const secondKey = await lab.system.tenant.key({ userId: 'user_second', tier: 'vip' });
    const thirdKey = await lab.system.tenant.key({ userId: 'user_third', tier: 'vip' });
    await using first = await connect('?result=data');
    const mine = cutShape.parse(JSON.parse(textOf(await first.client.callTool({ name: 'list_shared', arguments: { count: 400 } }))));
    await using second = await connect('?result=data', secondKey);
    const shared = cutShape.parse(JSON.parse(textOf(await second.client.callTool({ name: 'list_shared', arguments: { count: 400 } }))));
    expect(shared.result_id).not.toBe(mine.result_id);
    expect(JSON.parse(await readOn(second.client, shared.result_id))).toEqual({ rows: rows(400) });
    const reader = (key: string) => new HttpCaller(lab.system.gateway.url, key);
    for (const id of [mine.result_id, shared.result_id, `${shared.result_id}x`, 'inv_none', '..%2Fjobs'])
      expect((await reader(thirdKey).get(`/results/${id}`)).status).toBe(404);
    expect((await reader(secondKey).get(`/results/${mine.result_id}`)).status).toBe(404);
    const stranger = await Tenant.create(givenStores().databaseUrl);
    const strangerKey = await stranger.key();
    for (const id of [mine.result_id, shared.result_id]) expect((await reader(strangerKey).get(`/results/${id}`)).status).toBe(404);
    await stranger[Symbol.asyncDispose]();
  });

  test('is whole over HTTP, and in parts for who asks', async () => {
    const { data, metadata } = (await user.post('/tools/list_orders', { count: 1_000 })).as(envelopeShape);
    expect(data).toEqual({ rows: rows(1_000) });
    const path = `/results/${metadata.job_id}`;
    const whole = JSON.stringify(data);
    // Within the second half of a character, the part begins with the first.
    const at = whole.indexOf('😀') + 1;
    expect((await user.get(`${path}?offset=${at}&limit=10`)).body).toMatchObject({ offset: at - 1, text: expect.stringMatching(/^😀/) });
    expect((await user.get(`${path}?offset=${whole.length}`)).body).toMatchObject({ text: '', next_offset: null });
    for (const query of ['offset=-1', 'offset=x', `offset=${whole.length + 1}`, 'limit=0', 'limit=1e3', 'offset=9999999999999'])
      expect((await user.get(`${path}?${query}`)).status).toBe(400);
    expect((await user.get(path)).text.length).toBeLessThan(most);
  });

  test('is not there where the call has none', async () => {
    const rests = (await user.post('/tools/list_orders?delay_ms=600000', { count: 1 })).as(acceptedShape);
    const early = await user.get(`/results/${rests.job_id}`);
    expect(early.status).toBe(409);
    expect(early.text).toContain('has not ended yet');
    await user.delete(`/jobs/${rests.job_id}`);
    const late = await user.post('/tools/get_result', { result_id: rests.job_id });
    expect(late.status).toBe(409);
    expect(late.text).toContain('The call has no result');
  });

  describe('in a chat', () => {
    test('is its beginning for the model, which reads on', async () => {
      const before = made;
      const { model } = lab;
      const begin = scripted(model, { calls: [{ name: 'list_orders', arguments: { count: 500 } }] }, { text: 'There are many.' });
      const first = await chat(user, { message: begin });
      const [asked, next] = model.asked(begin);
      expect(JSON.stringify(asked)).not.toContain('"get_result"');
      const told = JSON.stringify(next);
      expect(told).toContain('"get_result"');
      const id = /result_id[\\":]+([\w.-]+)/.exec(told)?.[1] ?? '';
      const offset = Number(/offset (\d+)/.exec(told)?.[1]);
      const more = scripted(
        model,
        { calls: [{ name: 'get_result', arguments: { result_id: id, offset, limit: 1_000 } }] },
        { text: 'Here it goes on.' },
      );
      const second = await chat(user, { message: more, conversation_id: first.conversationId });
      expect(second.text).toContain('Here it goes on.');
      const whole = JSON.stringify({ rows: rows(500) });
      const output = second.chunks.find(({ type }) => type === 'tool-output-available')?.['output'];
      expect(partShape.parse(output).text.startsWith(whole.slice(offset, offset + 50))).toBe(true);
      expect(made).toBe(before + 1);
    });
  });

  test('is gone after a day, and the tool says so', async () => {
    const { metadata } = (await user.post('/tools/list_orders', { count: 100 })).as(envelopeShape);
    await lab.system.clock.advance(dayMs + 60_000);
    const answer = await user.post('/tools/get_result', { result_id: metadata.job_id });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('Call the tool again');
  });
});
