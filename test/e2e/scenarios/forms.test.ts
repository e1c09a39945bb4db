// The same definitions in every dialect, and a document of the whole gateway that its answers keep to.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const schema = z.looseObject({ type: z.unknown().optional() });
const native = z.looseObject({
  name: z.string(),
  description: z.string(),
  deprecated: z.boolean(),
  parameters: schema,
  examples: z.array(z.looseObject({ input: z.record(z.string(), z.unknown()) })),
});
const openai = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string(),
    description: z.string(),
    strict: z.literal(true),
    parameters: z.strictObject({
      type: z.literal('object'),
      properties: z.record(z.string(), schema),
      required: z.array(z.string()),
      additionalProperties: z.literal(false),
    }),
  }),
});
const anthropic = z.strictObject({ name: z.string(), description: z.string(), input_schema: schema, strict: z.literal(true) });
const mcp = z.strictObject({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  inputSchema: schema,
  outputSchema: schema,
  annotations: z.looseObject({ title: z.string(), readOnlyHint: z.boolean(), destructiveHint: z.boolean() }),
  _meta: z.looseObject({}),
});
const listOf = <Item extends z.ZodType>(item: Item) => z.strictObject({ tools: z.array(item).min(2) });
const content = z.record(z.string(), z.looseObject({ schema }));
const operation = z.looseObject({
  operationId: z.string(),
  responses: z.record(z.string(), z.looseObject({ content: content.optional() })),
  requestBody: z.looseObject({ content }).optional(),
});
const document = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.partialRecord(z.enum(['get', 'put', 'post', 'patch', 'delete']), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), schema) }),
});
const names = z.record(z.string(), z.unknown());

describe('forms of the definitions', () => {
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    system = await startSystem({ inProcess });
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  verifies(['TU-84'], "serves OpenAI's function tools, every one of them strict", async () => {
    const { tools } = (await user.get('/tools?format=openai')).as(listOf(openai));
    for (const { function: tool } of tools) expect(tool.parameters.required).toEqual(Object.keys(tool.parameters.properties));
  });

  verifies(['TU-86'], "serves Anthropic's client tools", async () => {
    (await user.get('/tools?format=anthropic')).as(listOf(anthropic));
  });

  verifies(['TU-88'], 'serves MCP definitions, which are renamed for Anthropic', async () => {
    (await user.get('/tools?format=mcp')).as(listOf(mcp));
  });

  test('names the same tools in all of them, and one at a time too', async () => {
    const { tools } = (await user.get('/tools')).as(listOf(native));
    // Models are not shown what they should no longer call.
    const listed = tools.filter(({ deprecated }) => !deprecated).map(({ name }) => name);
    expect((await user.get('/tools?format=openai')).as(listOf(openai)).tools.map((tool) => tool.function.name)).toEqual(listed);
    expect((await user.get('/tools?format=anthropic')).as(listOf(anthropic)).tools.map(({ name }) => name)).toEqual(listed);
    expect((await user.get('/tools?format=mcp')).as(listOf(mcp)).tools.map(({ name }) => name)).toEqual(listed);
    expect((await user.get('/tools/calc_metrics?format=openai')).as(openai).function.name).toBe('calc_metrics');
    expectRefusal(await user.get('/tools/calc_metrics?format=yaml'), { status: 400, code: 'INVALID_PARAMS', paths: ['format'] });
  });

  verifies(['TU-84', 'TU-86'], 'takes what a model sends for a strict form: null where a parameter is left out', async () => {
    const reply = await user.call('user_profile_lookup', { user_id: 'user_001' });
    expect(reply.envelope.success).toBe(true);
    expectRefusal(await user.call('user_profile_lookup', { user_id: null }), {
      status: 400,
      code: 'INVALID_PARAMS',
      native: 'INVALID_INPUT',
      paths: ['user_id'],
    });
  });

  describe('OpenAPI', () => {
    test('describes every tool by a path of its own; examples and answers keep to it', async () => {
      // Only this domain's worker runs here.
      const { tools } = (await user.get('/tools?domain=profile')).as(listOf(native));
      const { paths, components } = (await user.get('/openapi.json')).as(document);
      const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
      expect(new Set(ids).size).toBe(ids.length);
      const envelope = z.fromJSONSchema(names.parse(components.schemas['Envelope']));
      for (const { name, examples } of tools) {
        const { post } = paths[`/tools/${name}`] ?? {};
        const request = z.fromJSONSchema(names.parse(post?.requestBody?.content['application/json']?.schema));
        const response = z.fromJSONSchema(names.parse(post?.responses['200']?.content?.['application/json']?.schema));
        for (const { input } of examples) {
          expect(request.safeParse(input).error).toBeUndefined();
          const reply = await user.post(`/tools/${name}`, input);
          expect((reply.status === 200 ? response : envelope).safeParse(reply.body).error).toBeUndefined();
        }
        expect(envelope.safeParse((await user.post(`/tools/${name}`, { stranger: 1 })).body).error).toBeUndefined();
      }
    });

    test('names only references that exist, and paths that answer', async () => {
      const reply = await user.get('/openapi.json');
      const { paths, components } = reply.as(document);
      for (const [, name = ''] of reply.text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
        expect(components.schemas).toHaveProperty(name);
      for (const [path, methods] of Object.entries(paths)) {
        // A gateway without a public address is no client of OAuth servers.
        if (!methods.get || path.includes('{') || path === '/connections/client.json') continue;
        expect([path, (await user.get(path)).status]).not.toEqual([path, 404]);
      }
    });

    test('stands beside pages to read, which need no key and hold nothing of any caller', async () => {
      const { status, headers } = await system.anonymous.get('/docs');
      // Built, it leads to the first page; not built, it says how to build it.
      expect([[200, 302].includes(status), headers.get('www-authenticate')]).toEqual([true, null]);
    });
  });
});
