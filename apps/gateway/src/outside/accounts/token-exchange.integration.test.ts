// Callers come with a token of the issuer that is the provider too: their calls have an account, and nobody connects one (RFC 8693).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { connectionList } from '#lib/contracts';
import { openAccounts } from '#lib/accounts';
import { handle, type ServedWorker } from '#lib/serve';
import { eventually, OAuthServer, RedisContents, givenStores, startTimeoutMs } from '#lib/testing';
import { contractOf } from '../../serving/test-contract.js';
import { startOwnWorker } from '../../serving/test-own-worker.js';
import { Stores } from '../../stores.js';
import { TestHttpGateway } from '../../test-http-gateway.js';

const scopes = ['mail.read'];
const provider = (more: object = {}) => ({ issuer: oauth.url, client_id: 'invoq', client_secret: oauth.clientSecret, scopes, ...more });
const exchanging = (more: object = {}) => provider({ token_exchange: { audience: 'https://mail.example.com' }, ...more });

let oauth: OAuthServer;
let gateway: TestHttpGateway;
let worker: ServedWorker;
let users = 0;

beforeAll(async () => {
  oauth = await OAuthServer.start({ redirectUris: ['http://127.0.0.1:1/connections/callback'] });
  gateway = await TestHttpGateway.start({ JWT_ISSUER: oauth.url, JWT_JWKS_URL: `${oauth.url}/jwks`, NODE_ENV: 'test' });
  const key = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
  const contract = contractOf('read_mail', { connection: { provider: 'mail', scopes } });
  worker = await startOwnWorker(gateway, {
    key,
    tool: handle(contract, async (_input, { token }) => {
      const answer = await fetch(`${oauth.url}/api/me`, { headers: { authorization: `Bearer ${await token()}` } });
      return { said: await answer.text() };
    }),
  });
}, startTimeoutMs);

beforeEach(async () => {
  oauth.consents = true;
  oauth.mood = 'fine';
  oauth.exchangeGrants = null;
  oauth.exchanges.length = 0;
  await put(exchanging());
});

afterAll(async () => {
  await worker?.stop();
  await gateway?.[Symbol.asyncDispose]();
  await oauth?.[Symbol.asyncDispose]();
});

async function put(body: object, expected = [200, 201]) {
  const made = await gateway.send('/providers/mail', { method: 'PUT', authorization: gateway.admin, body: JSON.stringify(body) });
  expect(expected).toContain(made.status);
  return made.body;
}

/** A new user of the tenant, by a token of the issuer. */
async function comer(more: object = {}) {
  const sub = `comer_${++users}`;
  const claims = { sub, tenant_id: gateway.tenant.id, aud: 'invoq', exp: Math.floor(Date.now() / 1_000) + 600, ...more };
  return { sub, authorization: `Bearer ${await oauth.sign(claims)}` };
}

const job = z.looseObject({ state: z.string(), result: z.unknown(), rest: z.looseObject({ reason: z.string() }).nullish() });

/** What becomes of a call. */
async function called(authorization: string, headers: Readonly<Record<string, string>> = {}) {
  const body = JSON.stringify({ text: 'hello' });
  const begun = await gateway.send('/tools/read_mail', {
    method: 'POST',
    authorization,
    headers: { prefer: 'respond-async', ...headers },
    body,
  });
  const { job_id: id } = z.looseObject({ job_id: z.string() }).parse(JSON.parse(begun.body));
  return eventually(
    async () => {
      const found = job.parse(JSON.parse((await gateway.send(`/jobs/${id}`, { authorization, headers })).body));
      return ['completed', 'failed', 'resting'].includes(found.state) && found;
    },
    { withinMs: 25_000 },
  );
}

async function accounts(authorization: string) {
  return connectionList.parse(JSON.parse((await gateway.send('/connections', { authorization })).body)).connections;
}

const done = { state: 'completed', result: { data: { said: '{"mail":3}' } } };
const asks = { state: 'resting', rest: { reason: 'connection' } };

describe('A caller with a token of the issuer', () => {
  test('has an account at its first call, and the same one later', async () => {
    const { authorization } = await comer();
    expect(await called(authorization)).toMatchObject(done);
    expect(await called(authorization)).toMatchObject(done);
    expect(oauth.exchanges).toEqual([
      expect.objectContaining({
        subject_token: authorization.slice('Bearer '.length),
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        audience: 'https://mail.example.com',
        scope: 'mail.read',
      }),
    ]);
    expect(await accounts(authorization)).toMatchObject([{ provider: 'mail', state: 'connected', scopes }]);
  });

  test('is asked of the issuer once by calls that come together, and over MCP too', async () => {
    const { authorization } = await comer();
    const all = await Promise.all(Array.from({ length: 8 }, async () => called(authorization)));
    expect(all.map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => 'completed'));
    expect(oauth.exchanges).toHaveLength(1);
    const other = await comer();
    const answer = await gateway.send('/mcp', {
      method: 'POST',
      authorization: other.authorization,
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_mail', arguments: { text: 'hello' } } }),
    });
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('mail')]);
    expect(await accounts(other.authorization)).toHaveLength(1);
  });

  test('gets another token when that one has ended, or was taken back', async () => {
    const { authorization, sub } = await comer();
    expect(await called(authorization)).toMatchObject(done);
    const { database } = gateway.app.get(Stores);
    await database.connection.updateMany({
      where: { owner: `${gateway.tenant.id}/${sub}` },
      data: { expiresAt: new Date(Date.now() - 1_000) },
    });
    await oauth.endAccessTokens();
    expect(await called(authorization)).toMatchObject(done);
    const [account] = await accounts(authorization);
    await gateway.send(`/connections/${account?.id}`, { method: 'DELETE', authorization });
    expect(await called(authorization)).toMatchObject(done);
    expect(oauth.exchanges).toHaveLength(3);
  });

  test('is asked to connect an account where the issuer refuses or is away, and not each time anew', async () => {
    oauth.consents = false;
    const { authorization } = await comer();
    expect(await called(authorization)).toMatchObject(asks);
    expect(await called(authorization)).toMatchObject(asks);
    expect(oauth.exchanges).toHaveLength(1);
    oauth.mood = 'failing';
    expect(await called((await comer()).authorization)).toMatchObject(asks);
  });

  test('keeps an account that it has connected itself', async () => {
    const { authorization, sub } = await comer();
    const { accounts: own } = gateway.app.get(Stores);
    const found = await own.providers.find({ tenantId: gateway.tenant.id, name: 'mail' });
    if (!found) throw new Error('there is no provider');
    const tokens = { access: 'ended', refresh: 'renews', expiresAt: Date.now() - 1_000, scopes: null };
    const name = { tenantId: gateway.tenant.id, owner: `${gateway.tenant.id}/${sub}`, provider: 'mail' };
    await own.connections.connect(name, { tokens, server: found.server, scopes });
    // Its worker is told that the refresh token is none, and asks its user.
    expect(await called(authorization)).toMatchObject(asks);
    expect(oauth.exchanges).toEqual([]);
    // Now it has none that would renew itself.
    expect(await called(authorization)).toMatchObject(done);
  });

  test('keeps one that has too few scopes as well, and is asked for more', async () => {
    const { authorization, sub } = await comer();
    const { accounts: own } = gateway.app.get(Stores);
    const found = await own.providers.find({ tenantId: gateway.tenant.id, name: 'mail' });
    if (!found) throw new Error('there is no provider');
    const tokens = { access: 'live', refresh: 'renews', expiresAt: null, scopes: null };
    const name = { tenantId: gateway.tenant.id, owner: `${gateway.tenant.id}/${sub}`, provider: 'mail' };
    await own.connections.connect(name, { tokens, server: found.server, scopes: [] });
    expect(await called(authorization)).toMatchObject(asks);
    expect(oauth.exchanges).toEqual([]);
  });
});

test('An issuer that grants too few scopes is asked again after ten seconds, and not at each call', async () => {
  const { authorization, sub } = await comer();
  const { settings, database, sealer, log } = gateway.app.get(Stores);
  let now = 1_000;
  const rules = { allowedHosts: [], allowPrivate: true };
  const { exchange, connections } = openAccounts({ database, sealer, rules, issuer: settings.JWT_ISSUER, log, now: () => now });
  const need = { tenantId: gateway.tenant.id, owner: `${gateway.tenant.id}/${sub}`, provider: 'mail', scopes };
  const token = authorization.slice('Bearer '.length);
  const seen = async () => {
    await exchange.see(need, token);
    return oauth.exchanges.length;
  };
  oauth.exchangeGrants = '';
  expect([await seen(), await seen()]).toEqual([1, 1]);
  // Another need is another question.
  await exchange.see({ ...need, scopes: [] }, token);
  now += 9_999;
  expect(await seen()).toBe(1);
  oauth.exchangeGrants = null;
  now += 1;
  expect(await seen()).toBe(2);
  expect(await connections.find(need)).toMatchObject({ state: 'connected', scopes });
});

describe('A token of a caller goes nowhere else', () => {
  test('not where the provider asks for none, and not for whoever acts for a user with a key', async () => {
    const key = `Bearer ${await gateway.tenant.key({ userId: null, scopes: ['*'] })}`;
    expect(await called(key, { 'x-user-id': `comer_${++users}` })).toMatchObject(asks);
    await put(provider());
    expect(await called((await comer()).authorization)).toMatchObject(asks);
    expect(oauth.exchanges).toEqual([]);
  });

  test('not to an issuer or an endpoint that the administrator of a tenant names', async () => {
    const theirs = await OAuthServer.start({ redirectUris: ['http://127.0.0.1:1/connections/callback'] });
    try {
      const said = 'token_exchange';
      expect(await put(exchanging({ issuer: theirs.url }), [400])).toContain(said);
      expect(await put(exchanging({ token_endpoint: `${theirs.url}/token` }), [400])).toContain(said);
      const both = { authorization_endpoint: `${theirs.url}/auth`, token_endpoint: `${theirs.url}/token` };
      expect(await put(exchanging(both), [400])).toContain(said);
      expect(await put({ api_key: true, token_exchange: {} }, [400])).toContain(said);
      // One that was stored by other means.
      const { database } = gateway.app.get(Stores);
      const where = { tenantId_name: { tenantId: gateway.tenant.id, name: 'mail' } };
      const row = await database.provider.findUniqueOrThrow({ where });
      const server = JSON.parse(JSON.stringify(row.server).replaceAll(oauth.url, theirs.url));
      await database.provider.update({ where, data: { server } });
      expect(await called((await comer()).authorization)).toMatchObject(asks);
      expect([...theirs.exchanges, ...oauth.exchanges]).toEqual([]);
    } finally {
      await theirs[Symbol.asyncDispose]();
    }
  });

  test('and is nowhere in Redis or Postgres', async () => {
    const { authorization } = await comer();
    await called(authorization);
    const token = authorization.slice('Bearer '.length);
    const { redisUrl } = givenStores();
    const { settings, database } = gateway.app.get(Stores);
    using contents = new RedisContents(redisUrl, settings.INVOQ_NAMESPACE);
    const everything = await contents.everything();
    expect(everything).toContain('read_mail');
    expect(everything).not.toContain(token.slice(-40));
    expect(await database.connection.count({ where: { tokens: { contains: token.slice(-40) } } })).toBe(0);
  });
});
