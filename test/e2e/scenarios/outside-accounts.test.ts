// Outside servers that are called with the accounts of callers: a real OAuth server gives the tokens, and a real server of MCP and a service with
// an OpenAPI document ask it whether they are good.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { connectionAddress, inputRequest } from '#lib/contracts';
import { CookieBrowser, eventually, HttpCaller, OAuthServer, startTimeoutMs, Tenant } from '#lib/testing';
import { OutsideServer } from '../outside-server.js';
import { outsideTool as tool, startOutsideSystem, type OutsideSystem } from '../outside-system.js';
import { inProcess } from '../in-process.js';

jest.setTimeout(60_000);

const resting = z.looseObject({ state: z.string(), rest: z.looseObject({ reason: z.string(), input_request: z.string() }).nullish() });
const document = {
  openapi: '3.1.0',
  info: { title: 'Mail', version: '1' },
  security: [{ login: ['mail.read'] }],
  paths: { '/me': { get: { operationId: 'me', responses: { 200: { description: 'ok' } } } } },
  components: {
    securitySchemes: {
      login: { type: 'oauth2', flows: { authorizationCode: { authorizationUrl: 'https://x/a', tokenUrl: 'https://x/t', scopes: {} } } },
    },
  },
};

describe('outside servers with accounts of callers', () => {
  let outside: OutsideSystem;
  let started: AsyncDisposableStack;
  let oauth: OAuthServer;
  let server: OutsideServer;
  let apiUrl: string;
  let tenant: Tenant;
  let admin: HttpCaller;
  /** Tokens with which the server and the service were asked, in order. */
  const bearers: string[] = [];

  const isGood = async ({ headers }: IncomingMessage): Promise<boolean> => {
    const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
    if (token !== '') bearers.push(token);
    return oauth.isLive(token);
  };
  /** Whether the service wants a token that may send. */
  let wantsMore = false;
  const wants = async ({ headers }: IncomingMessage): Promise<boolean> =>
    wantsMore && !(await oauth.scopesOf(headers.authorization?.replace(/^Bearer /, '') ?? '')).includes('mail.send');
  const url = (gateway = 0) => outside.system.gateways[gateway]?.url ?? '';
  const keyOf = async (userId: string) => tenant.key({ userId, scopes: ['tools:read', 'tools:write'] });
  const userOf = async (userId: string) => new HttpCaller(url(), await keyOf(userId));
  const connect = async (by: HttpCaller) => {
    const { url: begin } = (await by.post('/connections', { provider: 'mail' })).as(connectionAddress);
    expect((await new CookieBrowser().visit(begin)).text).toContain('is connected');
  };
  /** As the user does who opens the address of an input request. @returns the page at its end */
  const followed = async (address: string | null | undefined): Promise<string> => {
    const browser = new CookieBrowser();
    // The gateway of a test is not told its own address.
    const page = await browser.visit(`${url()}${new URL(address ?? '').pathname}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('mail.send')]);
    const begun = await browser.request(page.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    return (await browser.visit(z.object({ location: z.string() }).parse(await begun.json()).location)).text;
  };
  const endOf = async (by: HttpCaller, id: string, ...states: readonly string[]) =>
    eventually(
      async () => {
        const found = await by.get(`/jobs/${id}`);
        return states.includes(found.as(resting).state) && found;
      },
      { withinMs: 25_000 },
    );
  const begin = async (by: HttpCaller, name: string): Promise<string> => {
    const reply = await by.request(`/tools/${name}`, {
      method: 'POST',
      json: name === 'api__me' ? {} : { word: 'a' },
      headers: { prefer: 'respond-async' },
    });
    expect([reply.status, reply.text]).toEqual([202, expect.any(String)]);
    return reply.as(z.looseObject({ job_id: z.string() })).job_id;
  };

  beforeAll(async () => {
    started = new AsyncDisposableStack();
    outside = started.use(await startOutsideSystem({ inProcess }));
    oauth = started.use(await OAuthServer.start({ redirectUris: outside.system.gateways.map((one) => `${one.url}/connections/callback`) }));
    tenant = started.use(await Tenant.create(outside.databaseUrl));
    admin = new HttpCaller(url(), await tenant.key({ userId: 'boss', scopes: ['tenant:admin', 'tools:read', 'tools:write'] }));
    const provider = {
      issuer: oauth.url,
      client_id: 'invoq',
      client_secret: oauth.clientSecret,
      scopes: ['mail.read'],
      more_scopes: ['mail.*'],
    };
    expect((await admin.request('/providers/mail', { method: 'PUT', json: provider })).status).toBe(201);
    server = started.use(await OutsideServer.start());
    server.tools = [tool('inbox')];
    server.resources = [{ uri: 'mail://inbox', name: 'inbox' }];
    server.before = async (request, response) => {
      if (await isGood(request)) return false;
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return true;
    };
    const api = createServer((request, response) => {
      void (async () => {
        if (request.url === '/openapi.json')
          return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
        if (!(await isGood(request))) return response.writeHead(401).end();
        if (await wants(request))
          return response.writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="mail.send"' }).end();
        return response.writeHead(200, { 'content-type': 'application/json' }).end('{"mail":3}');
      })();
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    started.defer(() => {
      api.closeAllConnections();
      api.close();
    });
    const address = api.address();
    apiUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }, startTimeoutMs);
  afterAll(async () => started?.disposeAsync());

  test('are registered with the account of their administrator, and tell which provider they need', async () => {
    const body = { name: 'mail', kind: 'mcp', url: `${server.url}/mcp`, connection: { provider: 'mail', scopes: ['mail.read'] } };
    const early = await admin.post('/mcp/servers', body);
    expect([early.status, early.text]).toEqual([400, expect.stringContaining('your own account at mail: connect it first')]);
    await connect(admin);
    const made = await admin.post('/mcp/servers', body);
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    expect((await admin.get('/mcp/servers/mail')).body).toMatchObject({ connection: body.connection, approval: 1 });
    const api = await admin.post('/mcp/servers', {
      name: 'api',
      kind: 'openapi',
      url: `${apiUrl}/openapi.json`,
      connection: { provider: 'mail' },
    });
    expect([api.status, api.text]).toEqual([201, expect.any(String)]);
    const unknown = await admin.post('/mcp/servers', { ...body, name: 'other', connection: { provider: 'nowhere' } });
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('PUT /providers/nowhere')]);
    expect((await admin.post('/mcp/servers', { ...body, name: 'other', connection: { provider: 'No Name' } })).status).toBe(400);
  });

  test.each(['mail__inbox', 'api__me'])('%s rests until its caller has an account, and goes on with it', async (name) => {
    const user = await userOf(`rests-${name.slice(0, 3)}`);
    const id = await begin(user, name);
    const { rest } = (await endOf(user, id, 'resting')).as(resting);
    expect(rest).toMatchObject({ reason: 'connection' });
    const request = (await user.get(`/input-requests/${rest?.input_request}`)).as(inputRequest);
    expect(request).toMatchObject({ kind: 'connection', tool_name: name });
    await connect(user);
    const ended = await endOf(user, id, 'completed', 'failed');
    expect(ended.text).toContain(name === 'api__me' ? '"mail":3' : 'inbox');
    expect(await oauth.isLive(bearers.at(-1) ?? '')).toBe(true);
  });

  test('get no token but that of the caller, and no answer of another from a cache', async () => {
    const users = await Promise.all(['one', 'two'].map(userOf));
    for (const user of users) await connect(user);
    const before = bearers.length;
    for (const { status } of await Promise.all(users.map(async (user) => user.call('api__me', {})))) expect(status).toBe(200);
    expect(new Set(bearers.slice(before)).size).toBe(2);
  });

  test('that refuse a token get another one, and the account is told of when there is none', async () => {
    const user = await userOf('refused');
    await connect(user);
    for (const name of ['mail__inbox', 'api__me']) {
      const input = name === 'api__me' ? {} : { word: 'a' };
      expect((await user.call(name, input)).status).toBe(200);
      await oauth.endAccessTokens();
      expect((await user.call(name, input)).status).toBe(200);
    }
    await oauth.endAll();
    const id = await begin(user, 'mail__inbox');
    expect((await endOf(user, id, 'resting')).as(resting).rest).toMatchObject({ reason: 'connection' });
    expect((await user.get('/connections')).text).toContain('"reconnect"');
  });

  test('that want more rights than the account has are asked again when its user has granted them', async () => {
    const user = await userOf('more');
    await connect(user);
    wantsMore = true;
    const id = await begin(user, 'api__me');
    const { rest } = (await endOf(user, id, 'resting')).as(resting);
    const request = (await user.get(`/input-requests/${rest?.input_request}`)).as(inputRequest);
    expect(request).toMatchObject({ kind: 'connection', message: expect.stringContaining('with the rights mail.send') });
    expect(await followed(request.url)).toContain('is connected');
    expect((await endOf(user, id, 'completed', 'failed')).text).toContain('"mail":3');
    // From now on it has them.
    expect((await user.call('api__me', {})).status).toBe(200);
    const other = await userOf('withholds');
    await connect(other);
    oauth.withholds = ['mail.send'];
    const again = await begin(other, 'api__me');
    const asked = (await endOf(other, again, 'resting')).as(resting).rest?.input_request;
    expect(await followed((await other.get(`/input-requests/${asked}`)).as(inputRequest).url)).toContain('is connected');
    const ended = await endOf(other, again, 'completed', 'failed');
    expect([ended.text, ended.text]).toEqual([expect.stringContaining('SCOPES_NOT_GRANTED'), expect.stringContaining('mail.send')]);
    expect((await other.get('/input-requests?state=open')).text).not.toContain('"connection"');
    oauth.withholds = [];
    wantsMore = false;
  });

  test('are read with the account of the caller too: resources are in their list alone', async () => {
    const keys = await Promise.all(['reads', 'reads-not'].map(keyOf));
    await connect(new HttpCaller(url(), keys[0] ?? ''));
    const client = async (key = '') => {
      const made = new Client({ name: 'test', version: '1' });
      await made.connect(
        new StreamableHTTPClientTransport(new URL(`${url()}/mcp`), { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
      );
      return made;
    };
    const [first, second] = [await client(keys[0]), await client(keys[1])];
    const uri = 'outside://mail/mail://inbox';
    expect((await first.listResources()).resources.map((one) => one.uri)).toContain(uri);
    expect((await first.readResource({ uri })).contents).toMatchObject([{ text: expect.stringContaining('text of') }]);
    const { resources, _meta } = await second.listResources();
    expect(resources.map((one) => one.uri)).not.toContain(uri);
    expect(JSON.stringify(_meta)).toContain('Connect your mail account');
    await expect(second.readResource({ uri })).rejects.toThrow(/Connect your mail account/);
    await Promise.all([first.close(), second.close()]);
  });

  test('have no token that is found anywhere: not in Redis, logs, jobs, traces, the audit or lists', async () => {
    const user = await userOf('hides');
    await connect(user);
    server.answer = () => ({ content: [{ type: 'text', text: `you sent ${bearers.at(-1)}` }] });
    const echoed = await user.call('mail__inbox', { word: 'a' });
    expect(echoed.text).toContain('you sent [token]');
    const { job_id: id, trace_id: trace } = echoed.envelope.metadata;
    const places = [echoed.text, JSON.stringify(outside.system.logs()), await outside.system.redis.everything()];
    for (const path of [`/jobs/${id}`, `/jobs/${id}/events`, `/traces/${trace}`, '/connections', '/input-requests', '/jobs'])
      places.push((await user.get(path)).text);
    for (const path of ['/audit?limit=100', '/connections?scope=tenant', '/providers', '/mcp/servers', '/mcp/servers/mail'])
      places.push((await admin.get(path)).text);
    expect(oauth.given.length).toBeGreaterThan(8);
    for (const secret of [...oauth.given, oauth.clientSecret]) for (const place of places) expect(place.includes(secret)).toBe(false);
  });

  test('name their provider once it is gone', async () => {
    const user = await userOf('gone');
    expect((await admin.delete('/providers/mail')).status).toBe(200);
    const ended = await user.call('mail__inbox', { word: 'a' });
    expect(ended.envelope).toMatchObject({
      error: { native_code: 'NO_PROVIDER', message: expect.stringContaining('PUT /providers/mail') },
    });
  });
});
