// The real routes of the gateway on a real Nest and Fastify server; what stands behind the handlers is left out.
import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { z } from 'zod';
import { Catalog, Refusal, tools, userScopes, type Caller } from '#lib/contracts';
import { createLogger } from '#lib/platform';
import { installBullBoard } from '../admin/bull-board.js';
import { installGuard } from '../callers/guard.js';
import { OpenRequests } from '../callers/open-requests.js';
import { controllers } from '../controllers.js';
import { openApiDocument } from '../docs/openapi.js';
import { installOriginGuard } from '../mcp/origin-guard.js';
import { bodyLimitOf } from './body-limit.js';
import { installJsonBody } from './json-body.js';
import { ProblemFilter } from './problem.filter.js';
import { installRequestFacts } from './request-facts.js';
import { RouteTable } from './route-table.js';
import { routeOf, type RouteFacts } from './route.js';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The facts of the route that Fastify matched. */
  readonly route: RouteFacts | null;
}

const routes = new RouteTable();
const user: Caller = { tenantId: 't', userId: 'u', tier: 'free', scopes: userScopes, credentialId: 'key' };
const callers: Readonly<Record<string, Caller>> = { 'Bearer user': user, 'Bearer admin': { ...user, scopes: ['*'] } };
const agent = new Agent({ keepAlive: true });
const redeemed: boolean[] = [];
let matched: RouteFacts | null = null;
let app: NestFastifyApplication;

beforeAll(async () => {
  const adapter = new FastifyAdapter();
  const fastify = adapter.getInstance();
  const log = createLogger('routes-test', 'silent');
  fastify.addHook('onRequest', async (request) => void (matched = routeOf(request)));
  installRequestFacts(fastify, () => undefined);
  routes.install(fastify);
  installOriginGuard(fastify, { HOST: '127.0.0.1', ALLOWED_HOSTS: [], CORS_ORIGINS: [] });
  installGuard(fastify, {
    authenticator: {
      authenticate: async ({ authorization = '' }) => {
        const caller = callers[authorization];
        if (caller) return caller;
        throw new Refusal('UNAUTHORIZED', 'A credential is missing');
      },
    },
    tickets: {
      redeem: async (_ticket, resuming) => {
        redeemed.push(resuming);
        return user;
      },
    },
    openRequests: new OpenRequests(1_000),
    resource: { challenge: () => 'Bearer resource_metadata="x"' },
    log,
  });
  await installBullBoard(fastify, { all: () => [] });
  const needed = new Set<unknown>(controllers.flatMap((one): unknown[] => Reflect.getMetadata('design:paramtypes', one) ?? []));
  const providers = [...needed].filter((one) => typeof one === 'function').map((provide) => ({ provide, useValue: {} }));
  @Module({ controllers: [...controllers], providers })
  class Routes {}
  app = await NestFactory.create<NestFastifyApplication>(Routes, adapter, { logger: false, bodyParser: false });
  app.useGlobalFilters(new ProblemFilter(log));
  installJsonBody(fastify, (request) => bodyLimitOf(request, new Catalog(tools)));
  await app.init();
  routes.answerOtherMethods(fastify);
  await app.listen(0, '127.0.0.1');
});
afterAll(async () => {
  agent.destroy();
  await app.close();
});

/** Sends the request target as it is given; a URL parser would tidy it up. */
async function send(
  path: string,
  { method = 'GET', authorization, headers = {}, body }: { method?: string; authorization?: string; headers?: object; body?: string } = {},
): Promise<Answer> {
  matched = null;
  const { port } = new URL(await app.getUrl());
  return new Promise((resolve, reject) => {
    const all = {
      ...headers,
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers: all, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, route: matched }));
    });
    sent.setTimeout(2_000, () => sent.destroy(new Error(`${method} ${path} was not answered`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A path of this pattern. */
const sample = (pattern: string) => pattern.replaceAll(/:\w+/g, 'x').replaceAll('*', 'x.js');

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
    for (const { method, url } of routes.routes.filter((one) => one.method === 'GET' || one.method === 'POST')) {
      const path = spellings[spelling]?.(sample(url)) ?? '';
      const { status, route } = await send(path, { method });
      const access = route?.access ?? 'caller';
      const isOpen = ['open', 'link', 'guest'].includes(access);
      expect({ path, letIn: status !== 401 }).toEqual({ path, letIn: isOpen });
      if (access === 'admin')
        expect({ path, status: (await send(path, { method, authorization: 'Bearer user' })).status }).toEqual({ path, status: 403 });
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
    expect((await send(path, { authorization: 'Bearer user' })).status).toBe(status);
  });

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
      expect((await send(path, { authorization: 'Bearer user' })).status).toBe(404);
    },
  );

  test.each(['/mcp', '/%6dcp', '/mc%70?x=1'])('is closed to foreign pages where MCP is served: %s', async (path) => {
    const foreign = { method: 'POST', authorization: 'Bearer user', body: '{}' };
    expect((await send(path, { ...foreign, headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await send(path, { ...foreign, headers: { host: 'evil.example' } })).status).toBe(403);
  });
});

describe('Every route', () => {
  test('states its facts', () => {
    expect(routes.routes.filter(({ url, facts }) => facts === null && url !== '*')).toEqual([]);
  });

  test('is documented, or is a part of the board', () => {
    const document = openApiDocument(tools, routes.documented());
    const { paths } = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))) })
      .parse(document);
    const aliases = new Set(routes.documented().flatMap((one) => one.aliases));
    const undocumented = routes.routes.filter(
      ({ method, url, facts }) =>
        facts?.refusesMethod !== true &&
        method !== 'HEAD' &&
        !aliases.has(url) &&
        !url.startsWith('/admin/queues/') &&
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
    const { status, headers, body } = await send(path, { method, authorization: 'Bearer user' });
    expect([status, headers['allow']]).toEqual([405, allow]);
    expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: 'METHOD_NOT_ALLOWED' } });
  });

  test('needs no credential at an open path, and one of an administrator at theirs', async () => {
    expect((await send('/healthz', { method: 'POST' })).status).toBe(405);
    expect((await send('/keys', { method: 'PUT', authorization: 'Bearer user' })).status).toBe(403);
    expect((await send('/keys', { method: 'PUT', authorization: 'Bearer admin' })).status).toBe(405);
  });

  test('is refused in the form of the path', async () => {
    const native = await send('/aurawell/calc_metrics', { authorization: 'Bearer user' });
    expect([native.status, JSON.parse(native.body)]).toEqual([405, expect.objectContaining({ status: 'error', data: null })]);
    const mcp = await send('/mcp', { method: 'PUT', authorization: 'Bearer user' });
    expect([mcp.status, JSON.parse(mcp.body)]).toEqual([405, expect.objectContaining({ jsonrpc: '2.0' })]);
  });

  test('spends no ticket', async () => {
    redeemed.length = 0;
    expect((await send('/tools/x/sse?ticket=t', { method: 'PUT' })).status).toBe(401);
    expect(redeemed).toEqual([]);
  });
});

describe('A missing credential', () => {
  test.each([
    ['/docs', 'Basic realm="invoq", charset="UTF-8"'],
    ['/%64ocs', 'Basic realm="invoq", charset="UTF-8"'],
    ['/docs/migrations/x', 'Basic realm="invoq", charset="UTF-8"'],
    ['/admin/queues', 'Basic realm="invoq", charset="UTF-8"'],
    ['/mcp', 'Bearer resource_metadata="x"'],
    ['/mc%70', 'Bearer resource_metadata="x"'],
    ['/tools', 'Bearer realm="invoq"'],
    ['/nothing', 'Bearer realm="invoq"'],
  ])('is asked for in the way that the clients of the route know: %s', async (path, challenge) => {
    expect((await send(path)).headers['www-authenticate']).toBe(challenge);
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

describe('A ticket', () => {
  test.each([
    ['/tools/x/sse?ticket=t', false],
    ['/tools/x%2Fy/s%73e?ticket=t', false],
    ['/tools/x/sse?ticket=t&lastEventId=1', true],
    ['/jobs/x/events?ticket=t', true],
  ])('lets in where the route takes one: %s', async (path, resuming) => {
    redeemed.length = 0;
    expect((await send(path)).status).not.toBe(401);
    expect(redeemed).toEqual([resuming]);
  });

  test.each(['/tools?ticket=t', '/jobs/x?ticket=t', '/tools/x/sse/?ticket=t', '/jobs/x/events;x?ticket=t', '/tools/x?ticket=t&/sse'])(
    'is worth nothing anywhere else: %s',
    async (path) => {
      redeemed.length = 0;
      expect((await send(path)).status).toBe(401);
      expect(redeemed).toEqual([]);
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
    const status = async (bytes: number) => (await send(path, { method: 'POST', authorization: 'Bearer user', body: text(bytes) })).status;
    expect(await status(kibibytes * kib)).not.toBe(413);
    expect(await status(kibibytes * kib + 1)).toBe(413);
  });
});
