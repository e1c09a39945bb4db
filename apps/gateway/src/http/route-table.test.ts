import { describe, expect, test } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { Refusal } from '#lib/contracts';
import { RouteTable } from './route-table.js';
import { patternOf, routeOf, type RouteDocs, type RouteFacts } from './route.js';

const docs = (id: string): RouteDocs => ({ id, summary: id, tag: 'calls' });

function setUp(register: (app: FastifyInstance) => void): { app: FastifyInstance; table: RouteTable } {
  const app = fastify();
  const table = new RouteTable();
  table.install(app);
  app.setErrorHandler((error, _request, reply) =>
    error instanceof Refusal
      ? reply.status(405).header('allow', error.error.extra?.['allow']).send(error.error)
      : reply.status(500).send(String(error)),
  );
  register(app);
  return { app, table };
}

const ok = async () => 'ok';

describe('Routes', () => {
  test('are listed with their facts; a hook of a plugin may add them', async () => {
    const facts: RouteFacts = { access: 'admin', docs: null };
    const { app, table } = setUp((root) => {
      root.get('/a', { config: { route: { docs: docs('a') } } }, ok);
      root.post('/b', ok);
      void root.register(
        async (scope) => {
          scope.addHook('onRoute', (route) => void (route.config = { ...route.config, route: facts }));
          scope.get('/c', ok);
        },
        { prefix: '/p' },
      );
    });
    await app.ready();
    const shown = table.routes.filter(({ method }) => method !== 'HEAD').map(({ method, url, facts: stated }) => [method, url, stated]);
    expect(shown).toEqual([
      ['GET', '/a', { docs: docs('a') }],
      ['POST', '/b', null],
      ['GET', '/p/c', facts],
    ]);
  });

  test('of one handler are documented once, with the other paths as aliases', async () => {
    const chat: RouteFacts = { docs: docs('chat') };
    const { app, table } = setUp((root) => {
      for (const url of ['/chat', '/api/chat', '/api/v1/chat']) root.get(url, { config: { route: chat } }, ok);
      root.get('/part', { config: { route: { docs: null } } }, ok);
      root.get('/unknown', ok);
    });
    await app.ready();
    expect(table.documented().map(({ url, method, aliases }) => ({ url, method, aliases }))).toEqual([
      { url: '/chat', method: 'GET', aliases: ['/api/chat', '/api/v1/chat'] },
    ]);
  });
});

describe('Other methods', () => {
  const facts: RouteFacts = { access: 'admin', errors: 'json-rpc', ticket: 'start', docs: docs('one') };
  const start = async () => {
    const { app, table } = setUp((root) => {
      root.get('/tools/:name', { config: { route: facts } }, ok);
      root.post('/tools/:name', { config: { route: facts } }, ok);
      root.post('/tools/list', ok);
      root.get('/jobs/:id', ok);
      root.delete('/jobs/:job', ok);
      root.delete('/files/*', ok);
      root.options('/open', ok);
      // As the plugin for CORS has it.
      root.options('*', (_request, reply) => reply.callNotFound());
    });
    app.addHook('onRequest', async (request, reply) => {
      void reply.header('x-path', patternOf(request) ?? 'none');
      void reply.header('x-route', JSON.stringify(routeOf(request)));
    });
    table.refuseOtherMethods(app);
    await app.ready();
    return { app, table };
  };

  test.each([
    ['PUT', '/tools/x', 'GET, HEAD, POST'],
    ['DELETE', '/tools/list', 'GET, HEAD, POST'],
    ['PATCH', '/tools/%78', 'GET, HEAD, POST'],
    ['OPTIONS', '/tools/x', 'GET, HEAD, POST'],
    ['GET', '/open', 'OPTIONS'],
  ] as const)('of a known path are refused: %s %s', async (method, url, allow) => {
    const { app } = await start();
    const answer = await app.inject({ method, url });
    expect([answer.statusCode, answer.json()]).toEqual([405, expect.objectContaining({ code: 'METHOD_NOT_ALLOWED', extra: { allow } })]);
  });

  test('have the pattern, the access and the error form of the path, and neither its ticket nor its documentation', async () => {
    const { app, table } = await start();
    const { headers } = await app.inject({ method: 'PUT', url: '/tools/x' });
    expect(headers['x-path']).toBe('/tools/:name');
    expect(JSON.parse(String(headers['x-route']))).toEqual({ access: 'admin', errors: 'json-rpc', docs: null });
    expect(table.documented().map(({ docs: { id } }) => id)).toEqual(['one']);
  });

  test('are refused where the methods of a path name its parameters differently', async () => {
    const { app } = await start();
    const { headers } = await app.inject({ method: 'PUT', url: '/jobs/x' });
    expect([headers['x-path'], headers['allow']]).toEqual(['/jobs/:id', 'DELETE, GET, HEAD']);
  });

  test('of a path that a catch-all serves, or nothing, are not found', async () => {
    const { app } = await start();
    expect((await app.inject({ method: 'PUT', url: '/files/x' })).statusCode).toBe(404);
    expect((await app.inject({ method: 'PUT', url: '/nothing' })).statusCode).toBe(404);
  });

  test('leave the methods that are served as they are', async () => {
    const { app } = await start();
    for (const [method, url] of [
      ['GET', '/tools/list'],
      ['POST', '/tools/list'],
      ['HEAD', '/tools/x'],
      ['DELETE', '/files/x'],
      ['OPTIONS', '/open'],
    ] as const)
      expect((await app.inject({ method, url })).statusCode).toBe(200);
  });
});

test('A request with an empty path parameter has no route', async () => {
  const { app } = setUp((root) =>
    root.get('/files/:id', { config: { route: { access: 'link', docs: null } } }, (request) => ({ route: routeOf(request) })),
  );
  expect((await app.inject('/files/x')).json()).toEqual({ route: { access: 'link', docs: null } });
  expect((await app.inject('/files/')).json()).toEqual({ route: null });
});
