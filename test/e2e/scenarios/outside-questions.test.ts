// What outside servers ask of the client behind a call besides forms: an answer of its model, and its roots. One server is real, of 2025; the
// other is of 2026.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { inputRequest } from '#lib/contracts';
import { eventually, HttpCaller, startTimeoutMs } from '#lib/testing';
import { prompt, resting, sampling } from '../asked.js';
import { startEverything } from '../everything.js';
import { inProcess } from '../in-process.js';
import { outsideTool as tool, startOutsideSystem, type OutsideSystem } from '../outside-system.js';

jest.setTimeout(60_000);

const may_ask = ['sampling', 'roots'];

describe('what outside servers ask of clients', () => {
  let outside: OutsideSystem;
  let everything: Awaited<ReturnType<typeof startEverything>>;
  let name: string;
  const clients: Client[] = [];
  let asked: string[] = [];

  beforeAll(async () => {
    [outside, everything] = await Promise.all([startOutsideSystem({ inProcess }), startEverything()]);
    name = outside.newName();
    await outside.register({ name, url: everything.url, may_ask });
  }, startTimeoutMs);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
    await Promise.all([outside?.[Symbol.asyncDispose](), everything?.[Symbol.asyncDispose]()]);
  });

  interface Connecting {
    readonly mode?: 'auto' | 'legacy';
    readonly key?: string;
    /** What its model says. Without it the client has none. */
    readonly says?: () => string;
    readonly roots?: readonly string[];
  }

  async function connect({ mode = 'auto', key, says, roots }: Connecting): Promise<Client> {
    asked = [];
    const capabilities = { ...(says && { sampling: {} }), ...(roots && { roots: {} }) };
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
    if (says)
      client.setRequestHandler('sampling/createMessage', ({ params }) => {
        asked.push(JSON.stringify(params.messages));
        return { role: 'assistant', model: 'm', content: { type: 'text', text: says() } };
      });
    if (roots) client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }));
    const authorization = `Bearer ${key ?? (await outside.system.tenant.key())}`;
    const url = new URL('/mcp?result=data', outside.system.gateway.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }));
    clients.push(client);
    return client;
  }

  const sample = async (client: Client) =>
    JSON.stringify(await client.callTool({ name: `${name}__trigger-sampling-request`, arguments: { prompt, maxTokens: 10 } }));
  const rootsOf = async (client: Client) => JSON.stringify(await client.callTool({ name: `${name}__get-roots-list`, arguments: {} }));
  const caller = async (userId: string, scopes = ['tools:read', 'tools:write']) =>
    new HttpCaller(outside.system.gateway.url, await outside.system.tenant.key({ userId, scopes }));

  describe.each(['auto', 'legacy'] as const)('at a client in mode %s', (mode) => {
    test('its model answers, and the call goes on with what it says', async () => {
      const client = await connect({ mode, says: () => 'waves' });
      expect(await sample(client)).toContain('waves');
      expect(asked).toEqual([expect.stringContaining(prompt)]);
    });

    test('a client without a model is not asked: the server has the error of the protocol', async () => {
      expect(await sample(await connect({ mode }))).toMatch(/has no sampling/);
    });

    test('its roots are those that the server gets, and no other user has them', async () => {
      const [one, other] = await Promise.all(
        ['root_one', 'root_other'].map((userId) => outside.system.tenant.key({ userId: `${userId}_${mode}` })),
      );
      expect(await rootsOf(await connect({ mode, key: one ?? '', roots: ['file:///home/one'] }))).toContain('file:///home/one');
      const second = await rootsOf(await connect({ mode, key: other ?? '', roots: ['file:///home/other'] }));
      expect([second.includes('file:///home/other'), second.includes('file:///home/one')]).toEqual([true, false]);
      const third = await rootsOf(await connect({ mode }));
      expect(third).not.toContain('file:///');
    });
  });

  test('a no of the client is an error for the server, and the call goes on', async () => {
    const client = await connect({
      mode: 'legacy',
      says: () => {
        throw new Error('not today');
      },
    });
    expect(await sample(client)).toContain('The user rejected the request');
  });

  test('over HTTP its caller reads the messages and answers; nobody else sees or answers them', async () => {
    const [ann, bob, boss] = await Promise.all([
      caller('ann'),
      caller('bob'),
      caller('boss', ['tools:read', 'tools:write', 'approvals', 'tenant:admin']),
    ]);
    const begun = await ann.post(`/tools/${name}__trigger-sampling-request`, { prompt, maxTokens: 10 });
    expect(begun.status).toBe(202);
    const { job_id, rest } = begun.as(resting);
    const at = `/input-requests/${rest.input_request}`;
    expect((await ann.get(at)).as(inputRequest)).toMatchObject({
      kind: 'question',
      message: `${name} asks your model for an answer of at most 10 tokens`,
      schema: { required: ['text'] },
      request: { method: 'sampling/createMessage', params: { messages: [{ content: { text: expect.stringContaining(prompt) } }] } },
    });
    expect((await bob.get(at)).status).toBe(404);
    const seen = await boss.get(at);
    expect([seen.status, seen.text.includes(prompt) && !JSON.stringify(seen.as(inputRequest).arguments).includes(prompt)]).toEqual([
      200,
      false,
    ]);
    const content = { text: 'salt' };
    expect((await bob.post(at, { action: 'accept', content })).status).toBe(404);
    expect((await boss.post(at, { action: 'accept', content })).status).toBe(403);
    expect((await ann.post(at, { action: 'accept', content: { role: 'assistant' } })).text).toContain('content.content');
    expect((await ann.post(at, { action: 'accept', content })).status).toBe(200);
    const done = await eventually(async () => {
      const { text } = await ann.get(`/jobs/${job_id}`);
      return text.includes('"completed"') && text;
    });
    expect(done).toContain('salt');
    const audit = await boss.get('/audit?limit=100');
    expect([audit.text.includes('input_request'), audit.text.includes(prompt), audit.text.includes('salt')]).toEqual([true, false, false]);
  });

  test('a server of 2026 asks by its result, several things at once, and each client what it can answer', async () => {
    await using at = await outside.withServer([tool('asking')]);
    at.server.requests = { word: sampling, where: { method: 'roots/list', params: {} } };
    await outside.register({ name: at.name, url: `${at.server.url}/mcp`, may_ask });
    const call = async (client: Client) => JSON.stringify(await client.callTool({ name: `${at.name}__asking`, arguments: { word: 'a' } }));
    for (const mode of ['auto', 'legacy'] as const) {
      const answer = await call(await connect({ mode, says: () => 'tide', roots: ['file:///sea'] }));
      expect([answer.includes('tide'), answer.includes('file:///sea')]).toEqual([true, true]);
    }
    expect(await call(await connect({ says: () => 'tide' }))).toMatch(/roots/);
    const { text } = await (await caller('ann')).post(`/tools/${at.name}__asking`, { word: 'a' });
    expect(text).toContain('"reason":"question"');
  });

  test('a server without leave learns of no client that can be asked', async () => {
    await using at = await outside.withServer([tool('asking')]);
    at.server.requests = { word: sampling };
    const shown = await outside.register({ name: at.name, url: `${at.server.url}/mcp` });
    expect(shown).toMatchObject({ may_ask: [] });
    const client = await connect({ says: () => 'tide' });
    const answer = await client.callTool({ name: `${at.name}__asking`, arguments: { word: 'a' } });
    expect([answer.isError, asked]).toEqual([true, []]);
    for (const [wrong, words] of [[{ url: `${at.server.url}/mcp`, may_ask: ['secrets'] }, 'may_ask']] as const)
      await expect(outside.register({ name: outside.newName(), ...wrong })).rejects.toThrow(words);
  });
});
