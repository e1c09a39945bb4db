// Two gateways of one system, an OAuth server, and users with browsers.
import { expect } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { connectionAddress, connectionList, type Connection } from '#lib/contracts';
import { CookieBrowser, givenStores, HttpCaller, newNamespace, OAuthServer, Tenant, type KeyOptions } from '#lib/testing';
import { startTestGateway } from '../../test-gateway.js';

export async function startAccounts({ accessTokenSeconds = 3_600 } = {}) {
  const namespace = newNamespace();
  const settings = {
    SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    REQUESTS_PER_ADDRESS: '1000000',
    REQUESTS_PER_CREDENTIAL: '1000000',
  };
  const gateway = await startTestGateway({ namespace, settings, handler: null });
  const other = await startTestGateway({ namespace, settings, handler: null });
  const oauth = await OAuthServer.start({
    redirectUris: [gateway.url, other.url].map((url) => `${url}/connections/callback`),
    accessTokenSeconds,
  });
  const tenants: Tenant[] = [];
  return {
    gateway,
    other,
    oauth,
    /** A tenant of its own, whose administrator has set up the provider `mail`. */
    tenant: async (body: object = {}) => {
      const tenant = await Tenant.create(givenStores().databaseUrl);
      tenants.push(tenant);
      const caller = async (options: KeyOptions) => new HttpCaller(gateway.url, await tenant.key(options));
      const admin = await caller({ userId: null, scopes: ['tenant:admin'] });
      const user = await caller({});
      const json = { issuer: oauth.url, client_id: 'invoq', client_secret: oauth.clientSecret, scopes: ['mail.read'], ...body };
      const made = await admin.request('/providers/mail', { method: 'PUT', json });
      expect([made.status, made.text]).toEqual([201, expect.any(String)]);
      return { tenant, admin, user, caller, owner: { tenantId: tenant.id, owner: `${tenant.id}/user_001` } };
    },
    [Symbol.asyncDispose]: async () => {
      for (const tenant of tenants) await tenant[Symbol.asyncDispose]();
      await oauth[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

export type TestAccounts = Awaited<ReturnType<typeof startAccounts>>;

/** The address that a browser of this user goes to. */
export async function begin(user: HttpCaller, body: object = {}): Promise<string> {
  const reply = await user.post('/connections', { provider: 'mail', ...body });
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  return reply.as(connectionAddress).url;
}

/** Connects an account of this user. */
export async function connect(user: HttpCaller, body: object = {}): Promise<Connection> {
  const end = await new CookieBrowser().visit(await begin(user, body));
  expect([end.status, end.text]).toEqual([200, expect.stringContaining('is connected')]);
  const [connection] = await listed(user);
  if (!connection) throw new Error('There is no connection');
  return connection;
}

export async function listed(user: HttpCaller, query = ''): Promise<readonly Connection[]> {
  return (await user.get(`/connections${query}`)).as(connectionList).connections;
}
