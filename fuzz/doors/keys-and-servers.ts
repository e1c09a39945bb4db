// What administrators change: keys, tickets, outside servers. And pages for browsers.
import type { Random } from '../../chaos/random.js';
import { hostileText } from '../grammar/atoms.js';
import { mutated } from '../grammar/mutate.js';
import type { Case } from '../requests/case.js';
import { hostileStep, plainStep } from './parts.js';

export function keysCase(random: Random): Case {
  const key = {
    tenant_id: random.pick(['t1', 't/1', hostileText(random)]),
    user_id: random.pick<unknown>(['u1', null, hostileText(random)]),
    tier: random.pick(['free', 'pro', 'vip', 'x']),
    scopes: random.pick<unknown>([['tools:read'], ['*'], [], ['x'], '*']),
    expires_at: random.pick(['2030-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 'x']),
  };
  const made = {
    ...hostileStep({ method: 'POST', target: '/keys', key: 'admin', json: random.chance(0.5) ? key : mutated(key, random) }, random),
    take: { madeKey: 'key', madeId: 'id' },
  };
  return {
    door: 'keys',
    steps: [
      made,
      random.pick([
        plainStep({ method: 'DELETE', target: '/keys/{{madeId}}', key: 'admin' }),
        hostileStep({ method: 'GET', target: '/keys/{{madeId}}', key: 'admin' }, random),
        { method: 'GET', target: '/tools', headers: [['authorization', 'Bearer {{madeKey}}']] },
      ]),
    ],
  };
}

export function ticketCase(random: Random): Case {
  const ticket = { ...plainStep({ method: 'POST', target: '/tickets', key: 'user', json: {} }), take: { ticket: 'ticket' } };
  const read = (target: string) => hostileStep({ method: 'GET', target, key: null, headers: [['accept', 'text/event-stream']] }, random);
  const call = read(`/tools/calc_metrics/sse?height_cm=175&weight_kg=70&age=30&gender=male&activity_level=moderate&ticket={{ticket}}`);
  return { door: 'tickets', steps: [ticket, call, random.chance(0.5) ? call : read(`/jobs/{{job}}/events?ticket={{ticket}}`)] };
}

const pets = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'http://127.0.0.1:1/v1' }],
  paths: {
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'getPet', security: [{ key: [] }] },
      post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } } },
    },
  },
  components: {
    schemas: { Pet: { type: 'object', properties: { name: { type: 'string' }, parent: { $ref: '#/components/schemas/Pet' } } } },
    securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } },
  },
};

/** An OpenAPI document that is not what it should be, and what is wanted of it. */
function documentOrder(random: Random): object {
  const document = mutated(pets, random);
  return {
    document: random.pick<unknown>([document, JSON.stringify(document), hostileText(random), 'a: &a [*a]']),
    ...(random.chance(0.5) && { base_url: random.pick(['http://127.0.0.1:1/', 'http://169.254.169.254/', hostileText(random)]) }),
    ...(random.chance(0.3) && { include: [hostileText(random).slice(0, 100), '*'] }),
    ...(random.chance(0.3) && { credentials: { key: hostileText(random).slice(0, 100) } }),
  };
}

function databaseQueries(random: Random): readonly object[] {
  const parameters = { [hostileText(random).slice(0, 40)]: { default: hostileText(random) } };
  return [{ name: random.pick(['q', hostileText(random).slice(0, 40)]), description: 'q', sql: hostileText(random), parameters }];
}

/** Registration of servers that answer anything. */
export function serverCase(random: Random): Case {
  const name = random.pick(['a', 'b', 'weird', 'c-1', hostileText(random).slice(0, 80)]);
  const url = random.pick([
    '{{outsideMcp}}',
    '{{outsideRest}}',
    '{{outsideMcp}}',
    '{{outsideRest}}',
    'http://127.0.0.1:1/',
    'http://169.254.169.254/',
    'ftp://x',
    hostileText(random),
  ]);
  const kind = random.pick(['mcp', 'rest', 'openapi', 'sql', 'stdio', '']);
  const body = {
    name,
    url,
    ...(kind && { kind }),
    ...(kind === 'openapi' && random.chance(0.8) && { url: undefined, ...documentOrder(random) }),
    ...(kind === 'sql' && {
      url: `postgres://${encodeURIComponent(hostileText(random).slice(0, 40))}:x@127.0.0.1:1/d`,
      queries: databaseQueries(random),
    }),
    ...(random.chance(0.3) && { headers: { Authorization: hostileText(random).slice(0, 200) } }),
  };
  const register = hostileStep(
    { method: 'POST', target: '/mcp/servers', key: 'admin', json: random.chance(0.6) ? body : mutated(body, random) },
    random,
  );
  const after = random.pick([
    hostileStep(
      { method: 'DELETE', target: `/mcp/servers/${encodeURIComponent(random.pick(['a', 'b', 'weird', 'c-1']))}`, key: 'admin' },
      random,
    ),
    plainStep({ method: 'GET', target: '/mcp/servers', key: 'admin' }),
    plainStep({ method: 'POST', target: `/tools/${random.pick(['a', 'b', 'weird'])}__echo`, key: 'user', json: { word: 'x' } }),
  ]);
  return { door: 'outside servers', steps: [register, after] };
}

const pages = [
  '/docs',
  '/docs/',
  '/admin/queues',
  '/admin/queues/',
  '/admin/queues/api/queues',
  '/admin/queues/api/queues?activeQueue=profile&status=completed&page=1&jobsPerPage=5',
  '/admin/queues/static/x.js',
  '/metrics',
  '/openapi.json',
  '/healthz',
  '/readyz',
  '/skills',
  '/files/x?expires=1&signature=y',
  '/.well-known/oauth-protected-resource',
  '/favicon.ico',
  '/',
];

export function pageCase(random: Random): Case {
  const credential = random.pick([
    ['authorization', `Basic {{basicAdmin}}`],
    ['authorization', 'Bearer {{user}}'],
    ['authorization', 'Bearer {{admin}}'],
  ] as const);
  const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'PUT', 'POST', 'DELETE']);
  return {
    door: 'pages',
    steps: [
      hostileStep(
        {
          method,
          target:
            random.pick(pages) + random.pick(['', '', '?', `?page=${encodeURIComponent('\0')}`, '/..%2f..%2fetc%2fpasswd', '/%61dmin']),
          key: null,
          headers: [credential],
        },
        random,
      ),
    ],
  };
}
