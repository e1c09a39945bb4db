// Users connect accounts at a real OAuth server, over real HTTP.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { auditPage, provider, providerList, removedConnection } from '#lib/contracts';
import { CookieBrowser, startTimeoutMs, type HttpCaller, type Reply } from '#lib/testing';
import { begin, connect, listed, startAccounts, type TestAccounts } from './test-accounts.js';

let accounts: TestAccounts;
beforeAll(async () => {
  accounts = await startAccounts();
}, startTimeoutMs);
afterEach(() => {
  accounts.oauth.consents = true;
  accounts.oauth.mood = 'fine';
});
afterAll(async () => accounts?.[Symbol.asyncDispose]());

const put = async (by: HttpCaller, name: string, json: object) => by.request(`/providers/${name}`, { method: 'PUT', json });
const errorOf = (reply: Reply) => reply.as(z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) })).error;
const back = 'http://127.0.0.1:9/done';

describe('A provider', () => {
  test('is discovered by its issuer, shown without its secret, and told in the audit', async () => {
    const { admin, user, tenant } = await accounts.tenant();
    const shown = (await admin.get('/providers/mail')).as(provider);
    expect(shown).toMatchObject({
      kind: 'oauth2',
      issuer: accounts.oauth.url,
      token_endpoint: `${accounts.oauth.url}/token`,
      client: 'registered',
      has_client_secret: true,
      revokes: true,
      redirect_uri: `${accounts.gateway.url}/connections/callback`,
    });
    expect((await admin.get('/providers')).text).not.toContain(accounts.oauth.clientSecret);
    const stored = await accounts.gateway.stores.database.provider.findMany({ where: { tenantId: tenant.id } });
    expect(JSON.stringify(stored)).not.toContain(accounts.oauth.clientSecret);
    const audit = await admin.get('/audit?limit=20');
    expect(
      audit
        .as(auditPage)
        .events.filter(({ action }) => action.startsWith('provider'))
        .map(({ action, subject }) => [action, subject]),
    ).toEqual([['provider.insert', 'mail']]);
    expect(audit.text).not.toContain(stored[0]?.clientSecret ?? 'none');
    for (const refused of [
      await user.get('/providers'),
      await put(user, 'mine', { preset: 'github', client_id: 'a' }),
      await user.delete('/providers/mail'),
    ])
      expect(refused.status).toBe(403);
    expect((await put(admin, 'mail', { ...shown.given, client_secret: accounts.oauth.clientSecret })).as(provider).given).toEqual(
      shown.given,
    );
  });

  test('without a client gets one by dynamic registration, and keeps it when it is put again', async () => {
    const { admin, user } = await accounts.tenant();
    const made = await put(admin, 'mail', { issuer: accounts.oauth.url, scopes: ['mail.read'] });
    const first = made.as(provider);
    expect([made.status, first.client, first.client_id === 'invoq']).toEqual([200, 'dynamic', false]);
    expect((await connect(user)).state).toBe('connected');
    expect((await put(admin, 'mail', { issuer: accounts.oauth.url, title: 'Mail' })).as(provider).client_id).toBe(first.client_id);
  });

  test('that is ready needs a client alone', async () => {
    const { admin } = await accounts.tenant();
    for (const preset of ['github', 'google', 'linear', 'microsoft', 'notion', 'slack'])
      expect((await put(admin, preset, { preset, client_id: 'id', client_secret: 'secret' })).status).toBe(201);
    const { providers } = (await admin.get('/providers')).as(providerList);
    expect(providers.map(({ name, title }) => [name, title]).slice(0, 2)).toEqual([
      ['github', 'GitHub'],
      ['google', 'Google'],
    ]);
    expect(providers.every(({ token_endpoint }) => token_endpoint === null || token_endpoint.startsWith('http'))).toBe(true);
  });

  test.each<[string, object, string]>([
    ['nothing', {}, 'issuer'],
    ['a secret without a client', { issuer: 'https://a.example', client_secret: 's' }, 'client_id'],
    ['a key and OAuth', { api_key: true, issuer: 'https://a.example' }, 'issuer'],
    ['an origin with a path', { api_key: true, return_origins: ['https://a.example/x'] }, 'return_origins'],
    ['another scheme', { issuer: 'file:///etc/passwd' }, 'issuer'],
    [
      'a parameter that is ours',
      { preset: 'github', client_id: 'a', authorization_parameters: { redirect_uri: 'x' } },
      'authorization_parameters',
    ],
    ['a server without a client', { authorization_endpoint: 'https://a.example/a', token_endpoint: 'https://a.example/t' }, 'client_id'],
  ])('is refused for %s', async (_, body, path) => {
    const { admin } = await accounts.tenant();
    const refused = await put(admin, 'x', body);
    expect([refused.status, errorOf(refused).message]).toEqual([400, expect.stringContaining(path)]);
  });

  test('that is no OAuth server, or is away, is said so', async () => {
    const { admin } = await accounts.tenant();
    const wrong = await put(admin, 'x', { issuer: `${accounts.gateway.url}/tools`, client_id: 'a' });
    expect([wrong.status, errorOf(wrong).message]).toEqual([400, expect.stringContaining('cannot be set up')]);
    expect((await put(admin, 'x', { issuer: 'http://127.0.0.1:9', client_id: 'a' })).status).toBe(503);
  });
});

describe('An account', () => {
  test('is connected with PKCE, sealed, listed for its user alone, and taken back when it is deleted', async () => {
    const { admin, user, caller, owner } = await accounts.tenant();
    const connection = await connect(user);
    expect(connection).toMatchObject({ provider: 'mail', user: owner.owner, state: 'connected', scopes: ['mail.read'], reason: null });
    expect(connection.created_at).toBe(connection.updated_at);
    const asked = accounts.oauth.authorizations.at(-1);
    expect([asked?.get('code_challenge_method'), asked?.get('response_type')]).toEqual(['S256', 'code']);
    const access = await accounts.gateway.stores.accounts.accounts.access({ ...owner, provider: 'mail', scopes: ['mail.read'] });
    if (access.kind !== 'access') throw new Error(access.message);
    expect(await accounts.oauth.isLive(access.token)).toBe(true);
    const rows = JSON.stringify(await accounts.gateway.stores.database.connection.findMany({ where: { tenantId: owner.tenantId } }));
    for (const token of accounts.oauth.given) expect(rows).not.toContain(token);
    expect(await listed(await caller({ userId: 'user_other' }))).toEqual([]);
    expect((await listed(admin, '?scope=tenant')).map(({ id }) => id)).toEqual([connection.id]);
    expect((await user.get('/connections?scope=tenant')).status).toBe(403);
    expect((await (await caller({ userId: 'user_other' })).delete(`/connections/${connection.id}`)).status).toBe(404);
    const removed = await user.delete(`/connections/${connection.id}`);
    expect([removed.status, removed.as(removedConnection).revoked]).toEqual([200, true]);
    expect(await accounts.oauth.isLive(access.token)).toBe(false);
    expect(await listed(user)).toEqual([]);
    const { events } = (await admin.get('/audit?limit=20')).as(auditPage);
    expect(events.filter(({ action }) => action.startsWith('connection')).map(({ action, actor }) => [action, actor])).toEqual([
      ['connection.delete', owner.owner],
      ['connection.insert', owner.owner],
    ]);
  });

  test('goes back to where its user came from, with what became of it', async () => {
    const { user } = await accounts.tenant();
    const end = await new CookieBrowser().visit(await begin(user, { return_to: `${back}?tab=1` }), { until: back });
    const [connection] = await listed(user);
    expect(end.url).toBe(`${back}?tab=1&connection=${connection?.id}`);
  });

  test('is not connected when its user says no', async () => {
    const { user } = await accounts.tenant();
    accounts.oauth.consents = false;
    const end = await new CookieBrowser().visit(await begin(user, { return_to: back }), { until: back });
    expect(end.url).toBe(`${back}?error=access_denied`);
    const page = await new CookieBrowser().visit(await begin(user));
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('did not let Invoq')]);
    expect(await listed(user)).toEqual([]);
  });

  test('is asked for with more scopes, and keeps those that it had', async () => {
    const { user, owner } = await accounts.tenant();
    await connect(user);
    const { accounts: access } = accounts.gateway.stores.accounts;
    const need = { ...owner, provider: 'mail', scopes: ['mail.send'] };
    expect(await access.access(need)).toMatchObject({ kind: 'missing', why: 'scopes', message: expect.stringContaining('mail.send') });
    expect((await connect(user, { scopes: ['mail.send'] })).scopes.toSorted()).toEqual(['mail.read', 'mail.send']);
    expect(await access.access(need)).toMatchObject({ kind: 'access' });
  });

  test('of a provider with keys is connected on a page', async () => {
    const { admin, user, owner } = await accounts.tenant();
    await put(admin, 'keys', { api_key: { header: 'X-Key', instructions: 'Look into <settings>.' }, title: 'Keys & Co' });
    const browser = new CookieBrowser();
    const url = await begin(user, { provider: 'keys', return_to: back });
    const page = await browser.visit(url);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Look into &lt;settings&gt;.')]);
    const give = async (key: string) =>
      browser.request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ api_key: key }) });
    expect((await give('two words')).status).toBe(400);
    expect(await (await give('pasted-key')).json()).toMatchObject({ location: expect.stringMatching(/\/done\?connection=/) });
    expect((await give('another-key')).status).toBe(410);
    const access = await accounts.gateway.stores.accounts.accounts.access({ ...owner, provider: 'keys', scopes: ['any'] });
    expect(access).toMatchObject({ token: 'pasted-key', header: { name: 'X-Key', value: 'pasted-key' } });
    expect((await admin.get('/audit?limit=5')).text).not.toContain('pasted-key');
  });
});

describe('Nobody else', () => {
  test('can finish what a user has begun: another browser, a state that was used, a code that was used', async () => {
    const { user } = await accounts.tenant();
    const [mine, victim] = [new CookieBrowser(), new CookieBrowser()];
    const callback = `${accounts.gateway.url}/connections/callback`;
    const { url } = await mine.visit(await begin(user), { until: callback });
    // Without the cookie of the browser that began it, also with one of its own.
    expect((await new CookieBrowser().visit(url)).status).toBe(400);
    await victim.visit(await begin(user), { until: callback });
    expect((await victim.visit(url)).status).toBe(400);
    expect(await listed(user)).toEqual([]);
    expect((await mine.visit(url)).status).toBe(200);
    // The provider answers twice.
    const again = await mine.visit(url);
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('Begin anew')]);
    // The code with a new state.
    const fresh = await mine.visit(await begin(user), { until: callback });
    const replayed = new URL(fresh.url);
    replayed.searchParams.set('code', new URL(url).searchParams.get('code') ?? '');
    expect((await mine.visit(replayed.href)).status).toBe(400);
  });

  test('comes between two providers: an answer of another issuer is refused', async () => {
    const { user } = await accounts.tenant();
    const callback = `${accounts.gateway.url}/connections/callback`;
    for (const change of [
      (url: URL) => url.searchParams.set('iss', 'https://evil.example'),
      (url: URL) => url.searchParams.delete('iss'),
      (url: URL) => url.searchParams.append('code', 'two'),
    ]) {
      const before = accounts.oauth.grants.length;
      const browser = new CookieBrowser();
      const url = new URL((await browser.visit(await begin(user), { until: callback })).url);
      change(url);
      expect((await browser.visit(url.href)).status).toBe(400);
      expect(accounts.oauth.grants.length).toBe(before);
    }
    expect(await listed(user)).toEqual([]);
  });

  test('goes on after ten minutes', async () => {
    const { user, owner } = await accounts.tenant();
    const callback = `${accounts.gateway.url}/connections/callback`;
    const browser = new CookieBrowser();
    const [first, second] = [await begin(user), await begin(user)];
    const { url } = await browser.visit(first, { until: callback });
    await accounts.gateway.stores.database.connectionAttempt.updateMany({
      where: { tenantId: owner.tenantId },
      data: { expiresAt: new Date(Date.now() - 1) },
    });
    expect((await browser.visit(url)).status).toBe(400);
    expect((await browser.visit(second)).status).toBe(410);
    expect(await listed(user)).toEqual([]);
  });

  test.each([
    'https://evil.example/x',
    'https://user:pass@evil.example',
    'javascript:alert(1)',
    '//evil.example',
    'https://allowed.example.evil.example',
  ])('sends a browser to %s', async (return_to) => {
    const { user } = await accounts.tenant({ return_origins: ['https://allowed.example'] });
    const refused = await user.post('/connections', { provider: 'mail', return_to });
    expect([refused.status, errorOf(refused).message]).toEqual([400, expect.stringContaining('return_to')]);
    expect((await user.post('/connections', { provider: 'mail', return_to: 'https://allowed.example/x' })).status).toBe(201);
  });

  test('of another tenant has its providers or its accounts', async () => {
    const [one, two] = [await accounts.tenant(), await accounts.tenant()];
    const connection = await connect(one.user);
    await two.admin.delete('/providers/mail');
    expect((await two.user.post('/connections', { provider: 'mail' })).status).toBe(404);
    expect((await two.admin.delete(`/connections/${connection.id}`)).status).toBe(404);
    expect(await listed(two.admin, '?scope=tenant')).toEqual([]);
    expect((await listed(one.user)).length).toBe(1);
  });
});
