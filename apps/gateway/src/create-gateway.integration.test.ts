// The access, limits and error forms of every route, whatever the spelling of its path.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { tools } from '#lib/contracts';
import { openApiDocument } from './pages/openapi.js';
import { RouteTable } from './http/route-table.js';
import { TestHttpGateway } from './test-http-gateway.js';

let gateway: TestHttpGateway;
let routes: RouteTable;
let user = '';
let admin = '';
const send: TestHttpGateway['send'] = async (path, request) => gateway.send(path, request);

beforeAll(async () => {
  gateway = await TestHttpGateway.start();
  routes = gateway.app.get(RouteTable);
  ({ user, admin } = gateway);
});
afterAll(async () => gateway[Symbol.asyncDispose]());

/** A path of this pattern. */
const sample = (pattern: string) => pattern.replaceAll(/:\w+/g, 'x').replaceAll('*', 'x.js');

/** One with each of these methods to every path, whether it has the method or refuses it. */
const requests = (...methods: readonly string[]) =>
  [...new Set(routes.routes.map(({ url }) => url))]
    .flatMap((url) => methods.map((method) => ({ method, url })))
    .filter(({ method, url }) => !url.includes('*') || routes.routes.some((one) => one.method === method && one.url === url));

/** Other spellings of a path; routers differ in which of them they take for the same. */
const spellings: Readonly<Record<string, (path: string) => string>> = {
  'as it is': (path) => path,
  'with a query': (path) => `${path}?a=/healthz`,
  'with a trailing slash': (path) => `${path}/`,
  'with a double slash': (path) => `/${path}`,
  'with a percent-encoded letter': (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  'with a percent-encoded slash': (path) => path.replace(/(.)\//, '$1%2f'),
  'with a percent-encoded query mark': (path) => `${path}%3Fa`,
  'in upper case': (path) => path.toUpperCase(),
  'with a path parameter': (path) => `${path};x`,
  'with a dot segment': (path) => `/.${path}`,
  'with a parent segment': (path) => `/healthz/..${path}`,
  'behind an encoded parent segment': (path) => `/healthz/%2e%2e${path}`,
  'in absolute form': (path) => `http://127.0.0.1${path}`,
  'with a fragment': (path) => `${path}#/healthz`,
};

describe('Every spelling of a path', () => {
  test.each(Object.keys(spellings))('has the access of the route that serves it: %s', async (spelling) => {
    for (const { method, url } of requests('GET', 'POST')) {
      const path = spellings[spelling]?.(sample(url)) ?? '';
      const { status, route, isRefused } = await send(path, { method });
      const access = route?.access ?? 'caller';
      const isOpen = ['open', 'link', 'guest'].includes(access);
      expect({ path, letIn: status !== 401 }).toEqual({ path, letIn: isOpen });
      if (access === 'admin' && !isRefused)
        expect({ path, status: (await send(path, { method, authorization: user })).status }).toEqual({ path, status: 403 });
    }
  });

  test.each([
    ['/admin/queues', 403],
    ['/%61dmin/queues', 403],
    ['/%61dmin/queues/api/queues', 403],
    ['/admin/%71ueues/api/queues', 403],
    ['http://127.0.0.1/admin/queues', 403],
    ['/admin/queues/', 403],
    ['//admin/queues', 404],
    ['/ADMIN/queues', 404],
    ['/admin/queues;x', 404],
    ['/healthz/../admin/queues', 404],
    ['/%6detrics', 403],
    ['/%6beys', 403],
  ])('does not open the administration to users: %s', async (path, status) => {
    expect((await send(path, { authorization: user })).status).toBe(status);
  });

  test.each(['/admin/queues', '/%61dmin/queues/api/queues', '/%6detrics', '/keys'])(
    'opens the administration to administrators: %s',
    async (path) => {
      expect((await send(path, { authorization: admin })).status).toBe(200);
    },
  );

  test.each(['/healthz', '/%68ealthz', '/healthz?x=1', '/.well-known/oauth-protected-resource/mcp', '/files/x', '/%66iles/x'])(
    'needs no credential where the route is open: %s',
    async (path) => {
      expect((await send(path)).status).not.toBe(401);
    },
  );

  test.each(['/healthz/', '//healthz', '/HEALTHZ', '/healthz;x', '/files/', '/files/x/y', '/chat/v5/guest', '/nothing', '/tools/'])(
    'needs a credential where no open route serves it: %s',
    async (path) => {
      expect((await send(path)).status).toBe(401);
      expect((await send(path, { authorization: user })).status).toBe(404);
    },
  );

  test.each(['/mcp', '/%6dcp', '/mc%70?x=1'])('is closed to foreign pages where MCP is served: %s', async (path) => {
    const foreign = { method: 'POST', authorization: user, body: '{}' };
    expect((await send(path, { ...foreign, headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await send(path, { ...foreign, headers: { host: 'evil.example' } })).status).toBe(403);
  });
});

describe('Every route', () => {
  test('states its facts', () => {
    expect(routes.routes.filter(({ url, facts }) => facts === null && url !== '*')).toEqual([]);
  });

  test('is documented, or is a part of the board, the console or the documentation', () => {
    const document = openApiDocument(tools, routes.documented());
    const { paths } = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))) })
      .parse(document);
    const aliases = new Set(routes.documented().flatMap((one) => one.aliases));
    const undocumented = routes.routes.filter(
      ({ method, url }) =>
        // CORS has a route of its own for preflight requests.
        url !== '*' &&
        method !== 'HEAD' &&
        !aliases.has(url) &&
        !url.startsWith('/admin/queues/') &&
        url !== '/console/*' &&
        !url.startsWith('/console/assets/') &&
        !url.startsWith('/docs/') &&
        !paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()],
    );
    expect(undocumented.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('describes each parameter of its path', () => {
    for (const { url, docs } of routes.documented()) {
      const named = (docs.parameters ?? []).filter(([place]) => place === 'path').map(([, name]) => name);
      expect({ url, named }).toEqual({ url, named: [...url.matchAll(/:(\w+)/g)].map(([, name]) => name) });
    }
  });
});

describe('A method that a path does not have', () => {
  test.each([
    ['PUT', '/tools/calc_metrics', 'GET, HEAD, POST'],
    ['DELETE', '/tools', 'GET, HEAD'],
    ['DELETE', '/tools/list', 'GET, HEAD, POST'],
    ['PATCH', '/jobs/inv_x', 'DELETE, GET, HEAD'],
    ['GET', '/tickets', 'POST'],
    ['OPTIONS', '/tickets', 'POST'],
    ['PUT', '/%74ickets', 'POST'],
  ])('is refused with those that it has: %s %s', async (method, path, allow) => {
    expect((await send(path, { method })).status).toBe(401);
    const { status, headers, body } = await send(path, { method, authorization: user });
    expect([status, headers['allow']]).toEqual([405, allow]);
    expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: 'METHOD_NOT_ALLOWED' } });
  });

  test('needs no credential at an open path alone', async () => {
    expect((await send('/healthz', { method: 'POST' })).status).toBe(405);
    expect((await send('/files/x', { method: 'DELETE' })).status).toBe(405);
    expect((await send('/keys', { method: 'PUT' })).status).toBe(401);
  });

  test('is refused in the form of the path', async () => {
    const native = await send('/aurawell/calc_metrics', { authorization: user });
    expect([native.status, JSON.parse(native.body)]).toEqual([405, expect.objectContaining({ status: 'error', data: null })]);
    const mcp = await send('/mcp', { method: 'PUT', authorization: user });
    expect([mcp.status, JSON.parse(mcp.body)]).toEqual([405, expect.objectContaining({ jsonrpc: '2.0' })]);
  });
});

describe('A missing credential', () => {
  test.each([
    ['/docs/migrations/x', 'Basic realm="invoq", charset="UTF-8"'],
    ['/%64ocs/migrations/x', 'Basic realm="invoq", charset="UTF-8"'],
    ['/admin/queues', 'Basic realm="invoq", charset="UTF-8"'],
    ['/mcp', expect.stringContaining('resource_metadata=')],
    ['/mc%70', expect.stringContaining('resource_metadata=')],
    ['/tools', 'Bearer realm="invoq"'],
    ['/nothing', 'Bearer realm="invoq"'],
  ])('is asked for in the way that the clients of the route know: %s', async (path, challenge) => {
    expect((await send(path)).headers['www-authenticate']).toEqual(challenge);
  });

  test.each([
    ['/aurawell/calc_metrics', { status: 'error', data: null }],
    ['/%61urawell/calc_metrics', { status: 'error', data: null }],
    ['/mcp', { jsonrpc: '2.0' }],
    ['/tools/calc_metrics', { success: false, metadata: expect.objectContaining({ tool_name: 'calc_metrics' }) }],
    ['/tools/calc_metrics?x=/mcp', { success: false }],
  ])('is answered in the form of the route: %s', async (path, form) => {
    expect(JSON.parse((await send(path, { method: 'POST', body: '{}' })).body)).toMatchObject(form);
  });
});

describe('A browser that knows a key as the password of Basic', () => {
  const basic = (bearer: string) => `Basic ${Buffer.from(`x:${bearer.replace('Bearer ', '')}`).toString('base64')}`;

  test('opens the pages that are made for it, and nothing else', async () => {
    const pages = routes.routes.filter((one) => one.facts && !one.url.includes('*'));
    for (const { method, url, facts } of pages) {
      if (['open', 'link', 'guest'].includes(facts?.access ?? 'caller')) continue;
      const { status } = await send(sample(url), { method, authorization: basic(admin) });
      const isPage = (facts?.challenge === 'basic' || ['/tools', '/openapi.json'].includes(url)) && ['GET', 'HEAD'].includes(method);
      expect({ method, url, refused: status === 401 }).toEqual({ method, url, refused: !isPage });
    }
  });

  test('does not let a page of another site change anything, whatever the route', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    for (const { method, url } of requests('POST', 'PUT', 'PATCH', 'DELETE')) {
      const { status } = await send(sample(url), { method, authorization: admin, headers });
      expect({ method, url, status }).toEqual({ method, url, status: 403 });
    }
  });
});

describe('A ticket', () => {
  const issue = async (authorization = user) => {
    const answer = await send('/tickets', { method: 'POST', authorization, body: '{}' });
    return z.object({ ticket: z.string() }).parse(JSON.parse(answer.body)).ticket;
  };

  test.each(['/tools/x/sse', '/tools/x%2Fy/s%73e'])('starts one call where the route takes one: %s', async (path) => {
    const ticket = await issue();
    expect((await send(`${path}?ticket=${ticket}`)).status).toBe(404);
    expect((await send(`${path}?ticket=${ticket}`)).status).toBe(401);
  });

  test('lets its reader come back to its own job, and to nothing else', async () => {
    const ticket = await issue();
    expect((await send(`/jobs/x/events?ticket=${ticket}`)).status).toBe(404);
    expect((await send(`/jobs/x/events?ticket=${ticket}`)).status).toBe(404);
    expect((await send(`/jobs/y/events?ticket=${ticket}`)).status).toBe(401);
    expect((await send(`/tools/x/sse?ticket=${ticket}`)).status).toBe(401);
  });

  test('ends with its key', async () => {
    const key = await gateway.tenant.key();
    const bearer = `Bearer ${key}`;
    const fresh = await issue(bearer);
    const used = await issue(bearer);
    expect((await send(`/jobs/x/events?ticket=${used}`)).status).toBe(404);
    const id = /^invoq_([^_]+)/.exec(key)?.[1];
    expect((await send(`/keys/${id}`, { method: 'DELETE', authorization: admin })).status).toBe(200);
    expect((await send(`/tools/x/sse?ticket=${fresh}`)).status).toBe(401);
    expect((await send(`/jobs/x/events?ticket=${used}`)).status).toBe(401);
  });

  test.each(['/tools', '/jobs/x', '/tools/x/sse/', '/jobs/x/events;x', '/tools/x', '/JOBS/x/events'])(
    'is neither accepted nor used up anywhere else: %s',
    async (path) => {
      const ticket = await issue();
      expect((await send(`${path}?ticket=${ticket}&/sse`)).status).toBe(401);
      expect((await send(`/tools/x/sse?ticket=${ticket}`, { method: 'PUT' })).status).toBe(401);
      expect((await send(`/tools/x/sse?ticket=${ticket}`)).status).toBe(404);
    },
  );
});

describe('A body', () => {
  const kib = 1_024;
  const text = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) });

  test.each([
    ['/tools/calc_metrics', 256],
    ['/tools/calc_metrics?/chat/v5/', 256],
    ['/tools/list', 256],
    ['/tools/batch_update_nodes', 8 * kib],
    ['/tools/batch_update_nodes@1', 8 * kib],
    ['/tools/%62atch_update_nodes/sse', 8 * kib],
    ['/memotree/batch_update_nodes', 8 * kib],
    ['/mcp?tool=batch_update_nodes', 256],
    ['/chat/v5/stream', 4 * kib],
    ['/api/v1/chat/v5/stream', 4 * kib],
    ['/chat/v5/stream/x/stop', 256],
  ])('may have the bytes that its route allows: %s', async (path, kibibytes) => {
    const status = async (bytes: number) => (await send(path, { method: 'POST', authorization: user, body: text(bytes) })).status;
    expect(await status(kibibytes * kib)).not.toBe(413);
    expect(await status(kibibytes * kib + 1)).toBe(413);
  });
});
