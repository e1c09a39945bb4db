// Tools act with the accounts of their callers: calls rest until an account is there, and no token is found where it does not belong.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { connectionAddress, connectionList, inputRequest, inputRequestPage } from '#lib/contracts';
import { handle, type ServedWorker, type ToolContext } from '#lib/serve';
import { CookieBrowser, eventually, givenStores, OAuthServer, RedisContents, startTimeoutMs, Tenant } from '#lib/testing';
import { contractOf } from '../serving/test-contract.js';
import { begin, startOwnWorker } from '../serving/test-own-worker.js';
import { Stores } from '../stores.js';
import { TestHttpGateway } from '../test-http-gateway.js';

let gateway: TestHttpGateway;
let oauth: OAuthServer;
let key: string;
const workers: ServedWorker[] = [];
beforeAll(async () => {
  gateway = await TestHttpGateway.start({ NODE_ENV: 'test' });
  key = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
  oauth = await OAuthServer.start({ redirectUris: [`http://127.0.0.1:${gateway.port}/connections/callback`] });
  const body = JSON.stringify({
    issuer: oauth.url,
    client_id: 'invoq',
    client_secret: oauth.clientSecret,
    scopes: ['mail.read'],
    title: 'Mail',
  });
  const made = await gateway.send('/providers/mail', { method: 'PUT', authorization: gateway.admin, body });
  expect([made.status, made.body]).toEqual([201, expect.any(String)]);
  // The first one starts the process that checks contracts.
  await served(async () => '');
}, startTimeoutMs);
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
  for (const { id } of await accounts()) await gateway.send(`/connections/${id}`, { method: 'DELETE', authorization: gateway.user });
});
afterAll(async () => {
  await oauth?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

/** A busy machine needs its time. */
const patient = { withinMs: 25_000 };
let used = 0;
const job = z.looseObject({
  state: z.string(),
  result: z.unknown(),
  rest: z.looseObject({ reason: z.string(), input_request: z.string().optional() }).nullish(),
});
const get = async (path: string, authorization = gateway.user) => JSON.parse((await gateway.send(path, { authorization })).body);
const accounts = async () => connectionList.parse(await get('/connections')).connections;
const until = async (id: string, ...states: string[]) =>
  eventually(async () => {
    const found = job.parse(await get(`/jobs/${id}`));
    return states.includes(found.state) && found;
  }, patient);

/** Serves a tool that acts with the caller's account. */
async function served(run: (context: ToolContext) => Promise<string>, scopes: readonly string[] = ['mail.read']): Promise<string> {
  const name = `mail_tool_${++used}`;
  const contract = contractOf(name, { connection: { provider: 'mail', scopes } });
  workers.push(await startOwnWorker(gateway, { key, tool: handle(contract, async (_input, context) => ({ said: await run(context) })) }));
  return name;
}

/** What an API client does: one more try with another token after a 401. */
async function mails({ token }: Pick<ToolContext, 'token'>): Promise<string> {
  const ask = async (bearer: string) => fetch(`${oauth.url}/api/me`, { headers: { authorization: `Bearer ${bearer}` } });
  const first = await token();
  const answer = await ask(first);
  return (answer.status === 401 ? await ask(await token({ refused: first })) : answer).text();
}

async function connectAccount(): Promise<void> {
  const { body } = await gateway.post('/connections', { provider: 'mail' });
  const { url } = connectionAddress.parse(JSON.parse(body));
  expect((await new CookieBrowser().visit(url)).text).toContain('is connected');
}

/** The input request for which a call rests. */
async function askedFor(id: string) {
  const { rest } = await until(id, 'resting');
  expect(rest).toMatchObject({ reason: 'connection' });
  return inputRequest.parse(await get(`/input-requests/${rest?.input_request}`));
}

/** Its page in a browser: the gateway of a test does not know its port before it listens. */
const pageOf = (url: string | null | undefined) => `http://127.0.0.1:${gateway.port}${new URL(url ?? '').pathname}`;

async function followed(url: string | null | undefined): Promise<string> {
  const browser = new CookieBrowser();
  const page = await browser.visit(pageOf(url));
  expect([page.status, page.text]).toEqual([200, expect.stringContaining(`${gateway.tenant.id}/user_001`)]);
  const begun = await browser.request(page.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  const { location } = z.object({ location: z.string() }).parse(await begun.json());
  return (await browser.visit(location)).text;
}

describe('A call whose caller has no account', () => {
  test('rests until it is connected at the address of its input request, and goes on then', async () => {
    let begins = 0;
    const id = await begin(gateway, await served(async (context) => ((begins += 1), mails(context))));
    const request = await askedFor(id);
    expect(request).toMatchObject({ kind: 'connection', state: 'open', message: 'Connect your Mail account', schema: null });
    // Nothing of the handler has run.
    expect(begins).toBe(0);
    // Whoever approves calls could connect an account of their own for somebody else.
    expect(await get(`/input-requests/${request.id}`, gateway.admin)).toMatchObject({ id: request.id, url: null });
    const early = await gateway.post(`/input-requests/${request.id}`, { action: 'accept' });
    expect([early.status, early.body]).toEqual([409, expect.stringContaining('open the url')]);
    expect(await followed(request.url)).toContain('Mail is connected');
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
    expect(await get(`/input-requests/${request.id}`)).toMatchObject({
      state: 'accepted',
      decided_by: `${gateway.tenant.id}/user_001`,
      url: null,
    });
    expect((await new CookieBrowser().visit(pageOf(request.url))).status).toBe(410);
    expect((await new CookieBrowser().visit(`${pageOf(request.url).slice(0, -2)}xx`)).status).toBe(404);
  });

  test('goes on also when it is connected elsewhere, with all others that wait', async () => {
    const name = await served(mails);
    const ids = [await begin(gateway, name), await begin(gateway, name), await begin(gateway, name)];
    for (const id of ids) await until(id, 'resting');
    await connectAccount();
    for (const id of ids) expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
  });

  test('ends when its user says no, in words', async () => {
    const id = await begin(gateway, await served(mails));
    const request = await askedFor(id);
    expect((await gateway.post(`/input-requests/${request.id}`, { action: 'decline' })).status).toBe(200);
    const { result } = await until(id, 'completed', 'failed');
    expect(result).toMatchObject({
      error: { code: 'PERMISSION_DENIED', native_code: 'DECLINED', message: expect.stringContaining('has said no') },
    });
  });

  test('is asked for more where the account has less than the tool needs', async () => {
    await connectAccount();
    const id = await begin(gateway, await served(mails, ['mail.send']));
    const request = await askedFor(id);
    expect(request.message).toContain('mail.send');
    await followed(request.url);
    await until(id, 'completed');
    expect((await accounts())[0]?.scopes).toEqual(expect.arrayContaining(['mail.read', 'mail.send']));
  });

  test('is refused where nobody has set the provider up, and by a tool that names none', async () => {
    const name = `mail_tool_${++used}`;
    const contract = contractOf(name, { connection: { provider: 'nowhere' } });
    workers.push(await startOwnWorker(gateway, { key, tool: handle(contract, async (_input, { token }) => ({ said: await token() })) }));
    const { result } = await until(await begin(gateway, name), 'completed', 'failed');
    expect(result).toMatchObject({ error: { native_code: 'NO_PROVIDER', message: expect.stringContaining('PUT /providers/nowhere') } });
  });
});

describe('An account', () => {
  test('whose token the API refuses is renewed once, and the call goes on', async () => {
    await connectAccount();
    const first = oauth.given.length;
    const id = await begin(
      gateway,
      await served(async (context) => {
        if (oauth.given.length === first) await oauth.endAccessTokens();
        return mails(context);
      }),
    );
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
    expect(oauth.given.length).toBeGreaterThan(first);
  });

  test('that was revoked at its provider has the call rest, which says so in words, and is healed by its user', async () => {
    await connectAccount();
    const name = await served(mails);
    expect(await until(await begin(gateway, name), 'completed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
    await oauth.endAll();
    const id = await begin(gateway, name);
    const request = await askedFor(id);
    expect(request.message).toContain('Connect your Mail account again');
    expect(await accounts()).toMatchObject([{ state: 'reconnect' }]);
    await followed(request.url);
    await until(id, 'completed');
    expect(await accounts()).toMatchObject([{ state: 'connected' }]);
  });

  test('of one user is never used for another, nor for another tenant', async () => {
    await connectAccount();
    const name = await served(mails);
    const other = `Bearer ${await gateway.tenant.key({ userId: 'user_other' })}`;
    const answer = await gateway.send(`/tools/${name}`, { method: 'POST', authorization: other, body: JSON.stringify({ text: 'x' }) });
    expect([answer.status, answer.body]).toEqual([202, expect.stringContaining('"reason":"connection"')]);
    await using tenant = await Tenant.create(givenStores().databaseUrl);
    const foreign = `Bearer ${await tenant.key({})}`;
    expect((await gateway.send('/connections', { authorization: foreign })).body).toContain('"connections":[]');
  });

  test('leaves its tokens nowhere: not in Redis, Postgres, jobs, events, traces, the audit or lists', async () => {
    await connectAccount();
    const id = await begin(gateway, await served(mails));
    await until(id, 'completed');
    await oauth.endAccessTokens();
    await until(await begin(gateway, await served(mails)), 'completed');
    const { database, settings } = gateway.app.get(Stores);
    const { tenant } = gateway;
    const places: string[] = [];
    for (const model of ['connection', 'connectionAttempt', 'provider', 'inputRequest'] as const)
      places.push(
        JSON.stringify(await (database[model].findMany as (options: object) => Promise<unknown>)({ where: { tenantId: tenant.id } })),
      );
    places.push(JSON.stringify(await database.$queryRaw`SELECT * FROM audit_event WHERE tenant_id = ${tenant.id}`));
    using contents = new RedisContents(givenStores().redisUrl, settings.INVOQ_NAMESPACE);
    places.push(await contents.everything());
    for (const path of [`/jobs/${id}`, `/jobs/${id}/events`, '/connections', '/input-requests', '/jobs'])
      places.push((await gateway.send(path, { authorization: gateway.user })).body);
    for (const path of ['/audit?limit=100', '/connections?scope=tenant', '/providers'])
      places.push((await gateway.send(path, { authorization: gateway.admin })).body);
    expect(oauth.given.length).toBeGreaterThan(2);
    for (const secret of [...oauth.given, oauth.clientSecret]) for (const place of places) expect(place.includes(secret)).toBe(false);
  });
});

describe('A call that waits', () => {
  /** Not taken by its worker before this time is over. */
  const delayed = async (name: string, delayMs: number) => {
    const options = { method: 'POST', authorization: gateway.user, body: JSON.stringify({ text: 'hello' }) };
    const { body } = await gateway.send(`/tools/${name}?delay_ms=${delayMs}`, options);
    return z.looseObject({ job_id: z.string() }).parse(JSON.parse(body)).job_id;
  };

  test('past the end of its token has a new one when it runs', async () => {
    await using brief = await OAuthServer.start({
      redirectUris: [`http://127.0.0.1:${gateway.port}/connections/callback`],
      accessTokenSeconds: 2,
    });
    const body = JSON.stringify({ issuer: brief.url, client_id: 'invoq', client_secret: brief.clientSecret, scopes: ['mail.read'] });
    expect((await gateway.send('/providers/brief', { method: 'PUT', authorization: gateway.admin, body })).status).toBe(201);
    const { url } = connectionAddress.parse(JSON.parse((await gateway.post('/connections', { provider: 'brief' })).body));
    expect((await new CookieBrowser().visit(url)).text).toContain('is connected');
    const ask = async (token: string) => (await fetch(`${brief.url}/api/me`, { headers: { authorization: `Bearer ${token}` } })).text();
    const tokens = new Set<string>();
    const name = `brief_tool_${++used}`;
    const contract = contractOf(name, { connection: { provider: 'brief', scopes: ['mail.read'] } });
    const tool = handle(contract, async (_input, { token }) => {
      const given = await token();
      tokens.add(given);
      return { said: await ask(given) };
    });
    workers.push(await startOwnWorker(gateway, { key, tool }));
    const ids = [await delayed(name, 0), await delayed(name, 3_000)];
    for (const id of ids) expect(await until(id, 'completed', 'failed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
    expect(tokens.size).toBe(2);
  });

  test('while its account is taken away asks for one when it runs, and sends nothing before', async () => {
    let begins = 0;
    await connectAccount();
    const id = await delayed(await served(async (context) => ((begins += 1), mails(context))), 1_500);
    const [account] = await accounts();
    expect((await gateway.send(`/connections/${account?.id}`, { method: 'DELETE', authorization: gateway.user })).status).toBe(200);
    const request = await eventually(async () => {
      const { rest } = job.parse(await get(`/jobs/${id}`));
      return rest?.reason === 'connection' && rest;
    }, patient);
    expect(request.input_request).toEqual(expect.any(String));
    expect(begins).toBe(0);
    await connectAccount();
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
  });
});

describe('An account that is a key', () => {
  const body = async (path: string, authorization: string) => (await gateway.send(path, { authorization })).body;

  test('is given to tools of its user as it is, is found nowhere, and is asked for again once it is deleted', async () => {
    const secret = `key-of-a-user-${used}-x9`;
    const put = { method: 'PUT', authorization: gateway.admin, body: JSON.stringify({ api_key: true, title: 'Maps' }) };
    expect((await gateway.send('/providers/maps', put)).status).toBe(201);
    const name = `maps_tool_${++used}`;
    const tool = handle(contractOf(name, { connection: { provider: 'maps', scopes: [] } }), async (_input, { token }) => {
      const given = await token();
      // One that the API refuses cannot be renewed.
      return { said: given === secret ? 'the key' : 'another one' };
    });
    workers.push(await startOwnWorker(gateway, { key, tool }));
    const id = await begin(gateway, name);
    const browser = new CookieBrowser();
    const page = await browser.visit(pageOf((await askedFor(id)).url));
    const headers = { 'content-type': 'application/json' };
    const { location } = z
      .object({ location: z.string() })
      .parse(await (await browser.request(page.url, { method: 'POST', headers, body: '{}' })).json());
    const given = await browser.request(location, { method: 'POST', headers, body: JSON.stringify({ api_key: secret }) });
    expect([given.status, await given.text()]).toEqual([200, expect.stringContaining('is connected')]);
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: 'the key' } } });
    const [account] = (await accounts()).filter(({ provider }) => provider === 'maps');
    const { database, settings } = gateway.app.get(Stores);
    using contents = new RedisContents(givenStores().redisUrl, settings.INVOQ_NAMESPACE);
    const places = [
      JSON.stringify(await database.connection.findMany({ where: { tenantId: gateway.tenant.id } })),
      await contents.everything(),
      ...(await Promise.all([`/jobs/${id}`, `/jobs/${id}/events`, '/connections'].map(async (path) => body(path, gateway.user)))),
      ...(await Promise.all(['/connections?scope=tenant', '/audit?limit=100'].map(async (path) => body(path, gateway.admin)))),
    ];
    for (const place of places) expect(place.includes(secret)).toBe(false);
    await gateway.send(`/connections/${account?.id}`, { method: 'DELETE', authorization: gateway.user });
    const again = await begin(gateway, name);
    expect((await until(again, 'resting')).rest).toMatchObject({ reason: 'connection' });
    await gateway.send(`/jobs/${again}`, { method: 'DELETE', authorization: gateway.user });
  });
});

describe('A client of MCP', () => {
  async function client(mode: 'auto' | 'legacy', capabilities: object, onUrl: (url: string) => void) {
    const made = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, capabilities });
    made.setRequestHandler('elicitation/create', ({ params }) => {
      if ('url' in params) onUrl(params.url);
      return { action: 'accept' };
    });
    const url = new URL(`http://127.0.0.1:${gateway.port}/mcp?result=data`);
    await made.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: gateway.user } } }));
    return made;
  }

  test.each(['auto', 'legacy'] as const)('is sent to the address while the call is open, in mode %s', async (mode) => {
    const name = await served(mails);
    const opened: string[] = [];
    const made = await client(mode, { elicitation: { url: {} } }, (url) => {
      opened.push(url);
      void followed(url);
    });
    expect(await made.callTool({ name, arguments: { text: 'x' } })).toMatchObject({ structuredContent: { said: '{"mail":3}' } });
    expect(opened.length).toBe(1);
    await made.close();
  });

  test('that opens no addresses is told it in words', async () => {
    const name = await served(mails);
    const made = await client('auto', { elicitation: { form: {} } }, () => undefined);
    const { isError, content } = await made.callTool({ name, arguments: { text: 'x' } });
    expect([isError, JSON.stringify(content)]).toEqual([
      true,
      expect.stringMatching(/connected their account: http.*connections\/requests/),
    ]);
    await made.close();
    const { input_requests: open } = inputRequestPage.parse(await get('/input-requests?kind=connection&state=open'));
    expect(open.length).toBeGreaterThan(0);
  });
});
