// Addresses that outside servers ask a person to open (URL mode of elicitation), through every door. One server is real, of 2025; the other is of 2026.
import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { inputRequest } from '#lib/contracts';
import { eventually, HttpCaller, startTimeoutMs } from '#lib/testing';
import { elicitation, page as url, resting } from '../asked.js';
import { startEverything } from '../everything.js';
import { inProcess } from '../in-process.js';
import { outsideTool as tool, startOutsideSystem, type OutsideSystem } from '../outside-system.js';

jest.setTimeout(60_000);

describe('addresses that outside servers ask a person to open', () => {
  let outside: OutsideSystem;
  let everything: Awaited<ReturnType<typeof startEverything>>;
  let name: string;
  const clients: Client[] = [];
  let asked: { readonly [field: string]: unknown }[] = [];
  let over: string[] = [];

  beforeAll(async () => {
    [outside, everything] = await Promise.all([startOutsideSystem({ inProcess }), startEverything()]);
    name = outside.newName();
    await outside.register({ name, url: everything.url });
  }, startTimeoutMs);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
    await Promise.all([outside?.[Symbol.asyncDispose](), everything?.[Symbol.asyncDispose]()]);
  });

  /** @param says what its user says to an address; a client without it has no URL mode */
  async function connect(mode: 'auto' | 'legacy', says?: () => ElicitResult): Promise<Client> {
    [asked, over] = [[], []];
    const capabilities = { elicitation: says ? { url: {} } : { form: {} } };
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push({ ...params });
      return says?.() ?? { action: 'cancel' };
    });
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => void over.push(params.elicitationId));
    const authorization = `Bearer ${await outside.system.tenant.key()}`;
    const to = new URL('/mcp?result=data', outside.system.gateway.url);
    await client.connect(new StreamableHTTPClientTransport(to, { requestInit: { headers: { authorization } } }));
    clients.push(client);
    return client;
  }

  const pay = async (client: Client, more: object = {}) =>
    JSON.stringify(await client.callTool({ name: `${name}__trigger-url-elicitation`, arguments: { url, message: 'Pay there', ...more } }));
  const caller = async (userId: string, scopes = ['tools:read', 'tools:write']) =>
    new HttpCaller(outside.system.gateway.url, await outside.system.tenant.key({ userId, scopes }));
  const ended = async (by: HttpCaller, jobId: string) =>
    eventually(
      async () => {
        const { text } = await by.get(`/jobs/${jobId}`);
        return text.includes('"completed"') && text;
      },
      { withinMs: 30_000 },
    );

  describe.each(['auto', 'legacy'] as const)('at a client in mode %s', (mode) => {
    test('the protocol puts it to its user, whole and with the name of the server, and the call goes on with a yes', async () => {
      const client = await connect(mode, () => ({ action: 'accept' }));
      expect(await pay(client)).toContain('User completed');
      expect(asked).toMatchObject([
        { mode: 'url', url, message: `${name} asks you to open an address at shop.example, and says: Pay there` },
      ]);
      // Revisions without sessions have no such message.
      expect(over).toEqual(mode === 'legacy' ? [asked[0]?.['elicitationId']] : []);
    });

    test('a no and a cancel are answers', async () => {
      expect(await pay(await connect(mode, () => ({ action: 'decline' })))).toContain('User declined');
      expect(await pay(await connect(mode, () => ({ action: 'cancel' })))).toContain('User cancelled');
    });

    test('a server that does nothing before (-32042) is called again', async () => {
      const client = await connect(mode, () => ({ action: 'accept' }));
      expect(await pay(client, { errorPath: true })).toContain('User completed');
      expect(asked.map((one) => one['url'])).toEqual(['https://modelcontextprotocol.io/', url]);
      expect(await pay(await connect(mode, () => ({ action: 'decline' })), { errorPath: true })).toContain('who has said no');
    });

    test('a client without URL mode is told the address in words, and opens nothing', async () => {
      const said = await pay(await connect(mode));
      expect(said).toContain(url);
      expect(said).toContain('whose host is shop.example');
      expect(said).toMatch(/open nothing yourself.*accept input request [0-9a-f-]{36}/);
      expect(asked).toEqual([]);
    });
  });

  test('over HTTP its caller alone reads and answers it, once', async () => {
    const [ann, bob, boss] = await Promise.all([
      caller('ann'),
      caller('bob'),
      caller('boss', ['tools:read', 'tools:write', 'approvals', 'tenant:admin']),
    ]);
    const { job_id, rest } = (await ann.post(`/tools/${name}__trigger-url-elicitation`, { url, message: 'Pay there' })).as(resting);
    const at = `/input-requests/${rest.input_request}`;
    expect((await ann.get(at)).as(inputRequest)).toMatchObject({
      kind: 'question',
      message: expect.stringContaining('shop.example'),
      request: { method: 'elicitation/create', params: { mode: 'url', url } },
    });
    expect((await bob.get(at)).status).toBe(404);
    const seen = (await boss.get(at)).as(inputRequest);
    expect([seen.request, seen.message.includes(url)]).toEqual([undefined, false]);
    expect((await bob.post(at, { action: 'accept' })).status).toBe(404);
    expect((await boss.post(at, { action: 'accept' })).status).toBe(403);
    expect((await ann.post(at, { action: 'accept', content: { url: 'https://evil.example' } })).status).toBe(400);
    expect((await ann.post(at, { action: 'accept' })).status).toBe(200);
    expect((await ann.post(at, { action: 'decline' })).status).toBe(409);
    expect(await ended(ann, job_id)).toContain('User completed');
    const audit = await boss.get('/audit?limit=100');
    expect([audit.text.includes('input_request'), audit.text.includes(url)]).toEqual([true, false]);
  });

  test('a server of 2026 asks by its result', async () => {
    await using at = await outside.withServer([tool('asking')]);
    at.server.requests = { page: elicitation };
    await outside.register({ name: at.name, url: `${at.server.url}/mcp` });
    for (const mode of ['auto', 'legacy'] as const) {
      const client = await connect(mode, () => ({ action: 'accept' }));
      const answer = JSON.stringify(await client.callTool({ name: `${at.name}__asking`, arguments: { word: 'a' } }));
      expect(answer).toContain('accept');
      expect(asked).toMatchObject([{ mode: 'url', url }]);
    }
  });
});
