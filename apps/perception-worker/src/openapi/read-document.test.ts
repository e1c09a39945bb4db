import { describe, expect, test } from '@jest/globals';
import { readOutsideTool, validateInput } from '#lib/contracts';
import { readDocument, type DocumentRequest } from './read-document.js';

const order = { url: 'https://docs.example.com/openapi.json', baseUrl: null, schemaBytes: null } as const;
const documentOf = (paths: object, more: object = {}) => ({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths, ...more });

function read(document: object | string, more: Partial<DocumentRequest> = {}) {
  const found = readDocument({ text: typeof document === 'string' ? document : JSON.stringify(document), ...order, ...more });
  if ('unusable' in found) throw new Error(found.unusable);
  return found;
}

const unusable = (text: string): string => {
  const found = readDocument({ text, ...order });
  return 'unusable' in found ? found.unusable : 'it was read';
};
const toolOf = (operation: object, more: object = {}) => read(documentOf({ '/a': { post: operation } }, more)).tools[0];
const contractOf = (tool: NonNullable<ReturnType<typeof toolOf>>) =>
  readOutsideTool(
    {
      tenantId: null,
      name: 's',
      kind: 'openapi',
      approval: 1,
      timeoutMs: 1_000,
      cacheTtlSeconds: null,
      connection: null,
      mayAsk: [],
      apps: { domains: [], permissions: [] },
    },
    tool,
  ).contract;

describe('a document that is none', () => {
  test.each([
    ['', 'no object'],
    ['[]', 'no object'],
    ['{"a":', 'read as JSON'],
    ['a: [', 'read as YAML'],
    ['{"swagger":"2.0"}', 'Swagger 2.0'],
    ['{"openapi":"4.0.0"}', 'OpenAPI 4.0.0'],
    ['{"info":{}}', "no field 'openapi'"],
    ['<html></html>', 'no object'],
    [
      `a: &a [1]\n${Array.from({ length: 20 }, (_, i) => `b${i}: &b${i} [*${i ? `b${i - 1}` : 'a'}, *${i ? `b${i - 1}` : 'a'}]`).join('\n')}`,
      'read as YAML',
    ],
  ])('%j is refused in words', (text, words) => expect(unusable(text)).toContain(words));

  test('names no server that is an address', () => {
    expect(unusable(JSON.stringify(documentOf({}, { servers: [{ url: 'ftp://x' }] })))).toContain("give 'base_url'");
    expect(unusable(JSON.stringify(documentOf({}, { servers: [{ url: 'https://{host}/' }] })))).toContain("give 'base_url'");
    expect(readDocument({ ...order, url: null, text: JSON.stringify(documentOf({})) })).toEqual({
      unusable: expect.stringContaining('no server'),
    });
  });
});

test('YAML and JSON give the same tools', () => {
  const yaml = 'openapi: 3.0.3\npaths:\n  /a:\n    get:\n      operationId: one\n      responses: { 200: { description: ok } }\n';
  expect(read(yaml).tools).toEqual(read({ openapi: '3.0.3', paths: { '/a': { get: { operationId: 'one' } } } }).tools);
});

test('names come from the operation, else from method and path, whatever the order', () => {
  const paths = {
    '/a': { get: { operationId: 'one' }, post: {} },
    '/a/{id}/b': { get: { operationId: 'same' }, put: { operationId: 'same' }, parameters: [{ name: 'id', in: 'path', required: true }] },
  };
  const names = (given: object) =>
    read(documentOf(given))
      .tools.map(({ name }) => name)
      .toSorted();
  const found = ['get_a_id_b', 'one', 'post_a', 'put_a_id_b'];
  expect(names(paths)).toEqual(found);
  expect(names(Object.fromEntries(Object.entries(paths).toReversed()))).toEqual(found);
});

test.each([
  ['get', true, true],
  ['head', true, true],
  ['put', false, true],
  ['delete', false, true],
  ['post', false, false],
  ['patch', false, false],
])('%s reads: %s, and may be repeated: %s', (method, readOnlyHint, idempotentHint) => {
  const [tool] = read(documentOf({ '/a': { [method]: {} } })).tools;
  expect(tool?.annotations).toMatchObject({ readOnlyHint, idempotentHint });
  if (tool) expect(contractOf(tool)).toMatchObject({ effect: readOnlyHint ? 'read' : 'write', idempotent: idempotentHint });
});

test.each<[string[] | undefined, string[] | undefined, string[]]>([
  [undefined, undefined, ['getPet', 'addPet', 'getOrder']],
  [['getPet'], undefined, ['getPet']],
  [['get*'], undefined, ['getPet', 'getOrder']],
  [['tag:pets'], undefined, ['getPet', 'addPet']],
  [['* /pets*'], undefined, ['getPet', 'addPet']],
  [['GET *'], undefined, []],
  [['GET /*'], ['*order'], ['getPet']],
  [undefined, ['tag:*'], []],
])('include %j and exclude %j', (include, exclude, names) => {
  const document = documentOf({
    '/pets': { get: { operationId: 'getPet', tags: ['pets'] }, post: { operationId: 'addPet', tags: ['pets'] } },
    '/orders': { get: { operationId: 'getOrder', tags: ['orders'] } },
  });
  const found = read(document, { include, exclude });
  expect(found.tools.map(({ name }) => name)).toEqual(names);
  expect(found.source.operations).toBe(3);
});

describe('what cannot be made', () => {
  test.each([
    [{ parameters: [{ $ref: './common.yaml#/id' }] }, 'another document'],
    [{ parameters: [{ $ref: '#/components/parameters/none' }] }, 'leads nowhere'],
    [{ parameters: [{ name: 'a', in: 'body' }] }, 'no place of a request'],
    [{ parameters: [{ name: 'a', in: 'query', style: 'matrix' }] }, "the style 'matrix'"],
    [{ parameters: [{ name: 'a\r\nb', in: 'header' }] }, 'HTTP cannot send'],
    [{ requestBody: { $ref: 'https://example.com/body.json' } }, 'another document'],
    [{ requestBody: { content: { 'no type': {} } } }, 'which is none'],
    [{ security: [{ cert: [] }] }, "asks for 'cert'"],
  ])('is named with its reason: %j', (operation, reason) => {
    const components = { securitySchemes: { cert: { type: 'mutualTLS' } } };
    const found = read(documentOf({ '/a': { post: operation }, '/b': { get: { operationId: 'well' } } }, { components }));
    expect(found.tools.map(({ name }) => name)).toEqual(['well']);
    expect(found.malformed).toEqual([{ tool: 'post_a', reason: expect.stringContaining(reason) }]);
  });
});

describe('the schema of the input', () => {
  test('has parameters of all places under names of their own, and the body', () => {
    const tool = toolOf({
      parameters: [
        { name: 'id', in: 'query', schema: { type: 'integer' } },
        { name: 'id', in: 'header', schema: { type: 'string' } },
        { name: 'filter[name]', in: 'query', required: true, schema: { type: 'string' } },
        { name: 'body', in: 'query', schema: { type: 'string' } },
        { name: 'Authorization', in: 'header', schema: { type: 'string' } },
        { name: 'Host', in: 'header', schema: { type: 'string' } },
      ],
      requestBody: { required: true, content: { 'text/plain': {}, 'application/json': { schema: { type: 'object' } } } },
    });
    expect(tool?.inputSchema).toMatchObject({ required: ['filter_name', 'body'], additionalProperties: false });
    expect(Object.keys(Object(tool?.inputSchema['properties']))).toEqual(['id', 'header_id', 'filter_name', 'query_body', 'body']);
    expect(tool?.operation).toMatchObject({ body: { mediaType: 'application/json' } });
  });

  test('a path names its parameters, whoever describes them', () => {
    const [tool] = read(documentOf({ '/a/{x}': { get: { parameters: [{ name: 'gone', in: 'path', required: true }] } } })).tools;
    expect(tool?.operation?.parameters).toMatchObject([{ name: 'x', in: 'path', style: 'simple' }]);
  });

  test('keeps recursion, unions and what all of must hold, and hides what the service sets', () => {
    const Node = {
      type: 'object',
      properties: {
        id: { type: 'string', readOnly: true },
        name: { type: 'string', nullable: true },
        next: { $ref: '#/components/schemas/Node' },
        kind: { oneOf: [{ type: 'string' }, { allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object' }] }] },
      },
      required: ['id', 'name'],
    };
    const tool = toolOf(
      { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } } } },
      { openapi: '3.0.0', components: { schemas: { Node, Base: { type: 'object', properties: { a: { type: 'integer' } } } } } },
    );
    if (!tool) throw new Error('no tool');
    const contract = contractOf(tool);
    const body = { name: null, next: { name: 'b', next: { name: 'c', kind: 'x' } } };
    expect(validateInput(contract, { body })).toMatchObject({ body });
    expect(() => validateInput(contract, { body: { name: 1 } })).toThrow('name');
    expect(() => validateInput(contract, { other: 1 })).toThrow('other');
    expect(JSON.stringify(tool.inputSchema)).not.toContain('readOnly');
    expect(Object.keys(Object(Object(tool.inputSchema['$defs'])['Node']['properties']))).toEqual(['name', 'next', 'kind']);
  });

  test('a field is hidden also where one of all its parts says that the service sets it', () => {
    const schemas = {
      Space: { type: 'object', properties: { id: { type: 'string' } } },
      Given: { allOf: [{ $ref: '#/components/schemas/Space' }, { readOnly: true }] },
      Endless: { allOf: [{ $ref: '#/components/schemas/Endless' }] },
      Task: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          space: { allOf: [{ $ref: '#/components/schemas/Space' }, { description: 'Create-only.', readOnly: true, type: 'object' }] },
          deep: { allOf: [{ $ref: '#/components/schemas/Given' }] },
          either: { anyOf: [{ type: 'string', readOnly: true }, { type: 'integer' }] },
          endless: { $ref: '#/components/schemas/Endless' },
        },
        required: ['name', 'space'],
      },
    };
    const tool = toolOf(
      { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Task' } } } } },
      { components: { schemas } },
    );
    const { properties, required } = Object(Object(tool?.inputSchema['$defs'])['Task']);
    expect([Object.keys(properties), required]).toEqual([['name', 'either', 'endless'], ['name']]);
  });

  test('files stand for bytes in forms', () => {
    const schema = { type: 'object', properties: { note: { type: 'string' }, photo: { type: 'string', format: 'binary' } } };
    const tool = toolOf({ requestBody: { content: { 'multipart/form-data': { schema } } } });
    expect(tool?.inputSchema).toMatchObject({ properties: { body: { properties: { photo: { required: ['base64'] } } } } });
  });

  test('a large one is described less deeply, and says so', () => {
    const deep = (level: number): object =>
      level === 0
        ? { type: 'string' }
        : {
            type: 'object',
            properties: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, deep(level - 1)])),
            description: 'Level. '.repeat(30),
          };
    const tool = toolOf({ requestBody: { content: { 'application/json': { schema: deep(8) } } } });
    if (!tool) throw new Error('no tool');
    expect(JSON.stringify(tool.inputSchema).length).toBeLessThanOrEqual(16_384);
    expect(tool.description).toContain('deeper');
    const body = { a: { b: { c: { a: { b: { c: { a: { b: 'x' } } } } } } } };
    expect(validateInput(contractOf(tool), { body })).toMatchObject({ body });
  });

  test('does not grow without end', () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `S${index}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 20 }, (_unused, to) => [`f${to}`, { $ref: `#/components/schemas/S${(index * 7 + to) % 300}` }]),
          ),
        },
      ]),
    );
    const tool = toolOf(
      { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } } },
      { components: { schemas: many } },
    );
    expect(JSON.stringify(tool?.inputSchema).length).toBeLessThanOrEqual(16_384);
  });
});

test('all definitions together stay within their bytes', () => {
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`field${i}`, { type: 'string', description: 'Words. '.repeat(20) }]),
    ),
  };
  const paths = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, i) => [`/p${i}`, { post: { requestBody: { content: { 'application/json': { schema } } } } }]),
  );
  const { tools, source } = read(documentOf(paths));
  expect(tools).toHaveLength(1_500);
  expect(JSON.stringify(tools).length).toBeLessThan(4 * 1024 * 1024);
  expect(source.schemaBytes).toBeLessThan(16_384);
});

test('a parameter is sent whatever its schema says of answers', () => {
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/number' } }];
  const components = { schemas: { number: { type: 'integer', readOnly: true } } };
  const [tool] = read(documentOf({ '/a/{id}': { get: { operationId: 'a', parameters } } }, { components })).tools;
  expect(tool?.inputSchema).toMatchObject({ required: ['id'], properties: { id: { $ref: '#/$defs/number' } } });
});

test('what a definition is made of is defined too', () => {
  const components = {
    schemas: {
      Request: {
        allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object', required: ['b'], properties: { b: { type: 'string' } } }],
      },
      Base: {
        allOf: [{ $ref: '#/components/schemas/Compact' }, { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }],
      },
      Compact: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    },
  };
  const schema = { type: 'object', properties: { data: { $ref: '#/components/schemas/Request' } } };
  const tool = toolOf({ operationId: 'a', requestBody: { content: { 'application/json': { schema } } } }, { components });
  expect(Object.keys(Object(tool?.inputSchema['$defs']))).toEqual(['Request', 'Base', 'Compact']);
});

describe('a GET', () => {
  const requestBody = { content: { 'application/json': { schema: { type: 'object' } } } };

  test('has no body, whatever its document says by habit', () => {
    const [tool] = read(documentOf({ '/a': { get: { operationId: 'a', requestBody } } })).tools;
    expect(tool?.inputSchema).toEqual({ type: 'object', additionalProperties: false });
    expect(tool?.operation).not.toHaveProperty('body');
  });

  test('that cannot go without one is told', () => {
    const { tools, malformed } = read(documentOf({ '/a': { get: { operationId: 'a', requestBody: { required: true, ...requestBody } } } }));
    expect([tools, malformed]).toEqual([[], [{ tool: 'a', reason: 'it must be sent with a body, which GET has none of' }]]);
  });
});

test('more operations than anybody has are refused', () => {
  expect(
    unusable(JSON.stringify(documentOf(Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`/${i}`, { get: {} }]))))),
  ).toContain('5000');
});

test.each([
  [{ servers: [{ url: 'https://{where}.example.com/v1', variables: { where: { default: 'eu' } } }] }, null, 'https://eu.example.com/v1'],
  [{ servers: [{ url: '/v1' }] }, null, 'https://docs.example.com/v1'],
  [{}, null, 'https://docs.example.com/openapi.json'],
  [{ servers: [{ url: 'https://a.example.com' }] }, 'https://b.example.com/x', 'https://b.example.com/x'],
])('the service of %j is found', (more, baseUrl, expected) => {
  expect(read(documentOf({}, more), { baseUrl }).source.baseUrl.replace(/(?<!\/v1|json|x)\/$/, '')).toBe(expected);
});
