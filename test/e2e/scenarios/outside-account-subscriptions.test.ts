// Clients that listen for changes at a server which acts with the accounts of its callers. A real OAuth server gives the tokens.
import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { connectionAddress } from '#lib/contracts';
import { CookieBrowser, eventually, HttpCaller, OAuthServer, startTimeoutMs, Tenant } from '#lib/testing';
import { inProcess } from '../in-process.js';
import { OutsideServer } from '../outside-server.js';
import { outsideTool as tool, startOutsideSystem, type OutsideSystem } from '../outside-system.js';

jest.setTimeout(120_000);

const soon = { withinMs: 25_000 };
const uri = 'outside://mail/mail://inbox';
const connections = z.object({ connections: z.array(z.looseObject({ id: z.string() })) });

describe('subscriptions at a server with accounts', () => {
  let outside: OutsideSystem;
  let started: AsyncDisposableStack;
  let server: OutsideServer;
  let tenant: Tenant;
  /** How many streams of changes are open at the server, by token. */
  const streams = new Map<string, number>();
  const clients: Client[] = [];
  const url = (gateway = 0) => outside.system.gateways[gateway]?.url ?? '';

  beforeAll(async () => {
    started = new AsyncDisposableStack();
    outside = started.use(await startOutsideSystem({ inProcess, apart: ['workers'] }));
    const oauth = started.use(
      await OAuthServer.start({ redirectUris: outside.system.gateways.map((one) => `${one.url}/connections/callback`) }),
    );
    tenant = started.use(await Tenant.create(outside.databaseUrl));
    const boss = await userOf('boss', ['tenant:admin', 'tools:read', 'tools:write']);
    const provider = { issuer: oauth.url, client_id: 'invoq', client_secret: oauth.clientSecret, scopes: ['mail.read'] };
    expect((await boss.request('/providers/mail', { method: 'PUT', json: provider })).status).toBe(201);
    server = started.use(await OutsideServer.start());
    server.tools = [tool('inbox')];
    server.resources = [{ uri: 'mail://inbox', name: 'inbox' }];
    server.before = async ({ headers }, response) => {
      const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
      if (!(await oauth.isLive(token))) return Boolean(response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
      if (headers['mcp-method'] === 'subscriptions/listen') {
        streams.set(token, (streams.get(token) ?? 0) + 1);
        response.once('close', () => streams.set(token, (streams.get(token) ?? 0) - 1));
      }
      return false;
    };
    await connect(boss);
    const body = { name: 'mail', kind: 'mcp', url: `${server.url}/mcp`, connection: { provider: 'mail', scopes: ['mail.read'] } };
    const made = await boss.post('/mcp/servers', body);
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  }, startTimeoutMs);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
    await started?.disposeAsync();
  });

  const userOf = async (userId: string, scopes = ['tools:read', 'tools:write']) =>
    new HttpCaller(url(), await tenant.key({ userId, scopes }));
  const connect = async (by: HttpCaller) => {
    const { url: begin } = (await by.post('/connections', { provider: 'mail' })).as(connectionAddress);
    expect((await new CookieBrowser().visit(begin)).text).toContain('is connected');
  };
  const revoke = async (by: HttpCaller) => {
    for (const { id } of (await by.get('/connections')).as(connections).connections)
      expect((await by.delete(`/connections/${id}`)).status).toBe(200);
  };
  /** Counts open streams of accounts that are connected from now on: those of a test before end when they end. */
  function ownStreams(): () => number {
    const others = new Set(streams.keys());
    return () => [...streams].reduce((sum, [token, count]) => (others.has(token) ? sum : sum + count), 0);
  }

  async function listening(userId: string, { mode = 'auto', gateway = 0 }: { mode?: 'auto' | 'legacy'; gateway?: number } = {}) {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const heard: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
    const authorization = `Bearer ${await tenant.key({ userId, scopes: ['tools:read', 'tools:write'] })}`;
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url(gateway)}/mcp`), { requestInit: { headers: { authorization } } }),
    );
    clients.push(client);
    const listen = async () =>
      mode === 'auto' ? void (await client.listen({ resourceSubscriptions: [uri] })) : void (await client.subscribeResource({ uri }));
    return { client, heard, listen };
  }

  test.each(['auto', 'legacy'] as const)('reach the user whose account it is, and no other: mode %s', async (mode) => {
    const [ann, bob] = await Promise.all([userOf(`ann_${mode}`), userOf(`bob_${mode}`)]);
    const open = ownStreams();
    await connect(ann);
    const ofAnn = await Promise.all([0, 1].map(async (gateway) => listening(`ann_${mode}`, { mode, gateway })));
    const ofBob = await listening(`bob_${mode}`, { mode });
    for (const { listen } of ofAnn) await listen();
    // Bob has no account there.
    if (mode === 'legacy') await expect(ofBob.listen()).rejects.toThrow('Connect your mail account');
    else await ofBob.listen();
    await eventually(() => ofAnn.every(({ heard }) => heard.length === 1), soon);
    server.update('mail://inbox');
    await eventually(() => ofAnn.every(({ heard }) => heard.length === 2), soon);
    expect(ofBob.heard).toEqual([]);
    // Each has a subscription of their own.
    const before = open();
    await connect(bob);
    if (mode === 'legacy')
      await eventually(
        async () =>
          ofBob.listen().then(
            () => true,
            () => false,
          ),
        soon,
      );
    await eventually(() => ofBob.heard.length === 1, soon);
    expect(open()).toBeGreaterThan(before);
    const all = open();
    server.update('mail://inbox');
    await eventually(() => ofBob.heard.length === 2 && ofAnn.every(({ heard }) => heard.length === 3), soon);
    await Promise.all([...ofAnn, ofBob].map(({ client }) => client.close()));
    await eventually(() => open() < all, { withinMs: 90_000 });
  });

  test('end when the account is revoked, and begin again when it is connected', async () => {
    const ann = await userOf('ann_revokes');
    const ofAnn = ownStreams();
    await connect(ann);
    const { client, heard, listen } = await listening('ann_revokes');
    await listen();
    await eventually(() => heard.length === 1, soon);
    const before = ofAnn();
    await revoke(ann);
    await eventually(() => ofAnn() < before, soon);
    server.update('mail://inbox');
    await pause(3_000);
    expect(heard).toHaveLength(1);
    await connect(ann);
    await eventually(() => heard.length === 2, { withinMs: 30_000 });
    server.update('mail://inbox');
    await eventually(() => heard.length === 3, soon);
    // The worker that listens is lost: the other one goes on with this account.
    for (const worker of outside.system.workers) {
      await worker.kill();
      await pause(12_000);
      const known = heard.length;
      server.update('mail://inbox');
      await eventually(() => heard.length > known, soon);
      await worker.start();
    }
    await client.close();
  });
});
