import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '#lib/contracts';
import type { DocumentedRoute } from '../http/route-table.js';
import type { RouteDocs, RouteFacts } from '../http/route.js';
import { openApiDocument } from './openapi.js';

const operation = z.looseObject({ operationId: z.string(), tags: z.array(z.string()), security: z.array(z.unknown()).optional() });
const document = z.looseObject({
  openapi: z.literal('3.1.0'),
  tags: z.array(z.looseObject({ name: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});

function routeWith(stated: Partial<RouteDocs>, facts: Partial<RouteFacts> = {}, rest: Partial<DocumentedRoute> = {}): DocumentedRoute {
  const docs: RouteDocs = { id: 'one', summary: 'One', tag: 'jobs', ...stated };
  return { method: 'GET', url: '/jobs/:id', aliases: [], docs, ...rest, facts: { ...facts, docs } };
}

const pathsOf = (...routes: DocumentedRoute[]) => document.parse(openApiDocument([], routes)).paths;

describe('A route', () => {
  test('is described under the template of its path, with its parameters and its success', () => {
    const route = routeWith({
      parameters: [
        ['path', 'id', 'Job id.'],
        ['query', 'wait', 'Seconds.'],
      ],
      status: 202,
    });
    expect(pathsOf(route)['/jobs/{id}']?.['get']).toEqual({
      operationId: 'one',
      summary: 'One',
      tags: ['jobs'],
      parameters: [
        { name: 'id', in: 'path', required: true, description: 'Job id.', schema: { type: 'string' } },
        { name: 'wait', in: 'query', required: false, description: 'Seconds.', schema: { type: 'string' } },
      ],
      responses: {
        '202': { description: 'As asked.', content: { 'application/json': { schema: { type: 'object' } } } },
        default: {
          description: 'An error envelope.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Envelope' } } },
        },
      },
    });
  });

  test('may share its path with other methods', () => {
    const paths = pathsOf(routeWith({ id: 'a' }), routeWith({ id: 'b' }, {}, { method: 'DELETE' }));
    expect(Object.entries(paths['/jobs/{id}'] ?? {}).map(([method, { operationId }]) => [method, operationId])).toEqual([
      ['get', 'a'],
      ['delete', 'b'],
    ]);
  });

  test('names the other paths of its handler', () => {
    const route = routeWith({}, {}, { aliases: ['/api/jobs/:id', '/v1/jobs/:id'] });
    expect(pathsOf(route)['/jobs/{id}']?.['get']).toMatchObject({ description: 'Also at `/api/jobs/{id}` and `/v1/jobs/{id}`.' });
  });

  test.each([
    ['open', []],
    ['link', []],
    ['guest', []],
    ['caller', undefined],
    ['admin', [{ bearer: ['admin'] }]],
    ['tenant:admin', [{ bearer: ['tenant:admin'] }]],
    [undefined, undefined],
  ] as const)('of access %s states its security', (access, security) => {
    expect(pathsOf(routeWith({}, access ? { access } : {}))['/jobs/{id}']?.['get']?.security).toEqual(security);
  });

  test.each([
    ['json-rpc', 'A JSON-RPC error.'],
    ['stripe', 'An error in the keys of the source document stripe.'],
  ] as const)('with errors of form %s says so', (errors, description) => {
    expect(pathsOf(routeWith({}, { errors }))['/jobs/{id}']?.['get']).toMatchObject({ responses: { default: { description } } });
  });

  test('of a stream or a page has its media type', () => {
    const { get } = pathsOf(routeWith({ media: 'text/event-stream' }))['/jobs/{id}'] ?? {};
    expect(get).toMatchObject({ responses: { '200': { content: { 'text/event-stream': { schema: { type: 'string' } } } } } });
  });

  test('with a body has its schema', () => {
    const { get } = pathsOf(routeWith({ body: { type: 'object', required: ['a'] } }))['/jobs/{id}'] ?? {};
    expect(get).toMatchObject({ requestBody: { content: { 'application/json': { schema: { type: 'object', required: ['a'] } } } } });
  });
});

test('A tool has a path of its own, beside the route of all tools', () => {
  const tool = defineTool({
    name: 'test_tool',
    title: 'Test',
    description: 'Tests.',
    domain: 'profile',
    version: '1.0.0',
    effect: 'read',
    timeoutMs: 1_000,
    estimatedTokens: 5,
    input: z.strictObject({}),
    output: z.strictObject({}),
    errors: {},
    examples: [{ input: {}, output: {} }],
  });
  const { paths, tags } = document.parse(
    openApiDocument([tool], [routeWith({ id: 'callTool', tag: 'calls' }, {}, { method: 'POST', url: '/tools/:name' })]),
  );
  expect(Object.keys(paths)).toEqual(['/tools/{name}', '/tools/test_tool']);
  const known = new Set(tags.map(({ name }) => name));
  for (const methods of Object.values(paths))
    for (const { tags: used } of Object.values(methods)) for (const tag of used) expect(known).toContain(tag);
});
