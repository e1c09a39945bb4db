// An outside server, `mail`, that acts with the accounts of its callers. A real OAuth server gives the tokens.
import { expect } from '@jest/globals';
import { z } from 'zod';
import { connectionAddress } from '#lib/contracts';
import { CookieBrowser, HttpCaller, OAuthServer, Tenant } from '#lib/testing';
import { OutsideServer } from './outside-server.js';
import { outsideTool, type OutsideSystem } from './outside-system.js';

const connections = z.object({ connections: z.array(z.looseObject({ id: z.string() })) });
const plain = ['tools:read', 'tools:write'];

export interface AccountServer extends AsyncDisposable {
  readonly server: OutsideServer;
  /** Has the server, and nothing else. */
  readonly tenant: Tenant;
  /** How many streams of changes are open at the server, by token. */
  readonly streams: ReadonlyMap<string, number>;
  readonly keyOf: (userId: string) => Promise<string>;
  readonly userOf: (userId: string) => Promise<HttpCaller>;
  /** Connects a user's account. */
  readonly connect: (by: HttpCaller) => Promise<void>;
  readonly revoke: (by: HttpCaller) => Promise<void>;
}

export const inbox = 'outside://mail/mail://inbox';

export async function startAccountServer({ system, databaseUrl }: OutsideSystem): Promise<AccountServer> {
  await using started = new AsyncDisposableStack();
  const oauth = started.use(await OAuthServer.start({ redirectUris: system.gateways.map(({ url }) => `${url}/connections/callback`) }));
  const tenant = started.use(await Tenant.create(databaseUrl));
  const keyOf = async (userId: string, scopes = plain) => tenant.key({ userId, scopes });
  const userOf = async (userId: string, scopes = plain) => new HttpCaller(system.gateway.url, await keyOf(userId, scopes));
  const connect = async (by: HttpCaller) => {
    const { url: begin } = (await by.post('/connections', { provider: 'mail' })).as(connectionAddress);
    expect((await new CookieBrowser().visit(begin)).text).toContain('is connected');
  };
  const boss = await userOf('boss', ['tenant:admin', ...plain]);
  const provider = { issuer: oauth.url, client_id: 'invoq', client_secret: oauth.clientSecret, scopes: ['mail.read'] };
  expect((await boss.request('/providers/mail', { method: 'PUT', json: provider })).status).toBe(201);
  const server = started.use(await OutsideServer.start());
  const streams = new Map<string, number>();
  server.tools = [outsideTool('inbox')];
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
  const owned = started.move();
  return {
    server,
    tenant,
    streams,
    keyOf,
    userOf,
    connect,
    revoke: async (by) => {
      for (const { id } of (await by.get('/connections')).as(connections).connections)
        expect((await by.delete(`/connections/${id}`)).status).toBe(200);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
