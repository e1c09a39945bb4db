import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const whole = z.int().nonnegative();
const rule = z.strictObject({ max_retries: whole, base_delay_ms: whole, factor: z.number().positive() });
const parameter = z.looseObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object']),
  description: z.string().min(5),
});
const definition = z.strictObject({
  name: z.string(),
  title: z.string().min(1),
  description: z.string().min(20),
  parameters: z.strictObject({
    type: z.literal('object'),
    properties: z.record(z.string(), parameter),
    required: z.array(z.string()),
    additionalProperties: z.literal(false),
  }),
  output_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.literal(true),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  changelog: z.record(z.string(), z.string().min(1)),
  domain: z.string(),
  aliases: z.array(z.string()),
  read_only: z.boolean(),
  idempotent: z.boolean(),
  streaming: z.boolean(),
  cacheable: z.boolean(),
  cache_ttl: z.int().positive().optional(),
  cache_key_params: z.array(z.string()).optional(),
  estimated_tokens: z.union([
    z.number().positive(),
    z.strictObject({
      input: z.number().positive(),
      output: z.strictObject({ min: z.number().optional(), max: z.number().positive(), typical: z.number().positive() }),
    }),
  ]),
  scopes: z.array(z.string()).min(1),
  deprecated: z.boolean(),
  sunset_date: z.iso.date().optional(),
  replacement: z.string().optional(),
  migration_guide: z.string().min(10).optional(),
  errors: z.record(z.string(), z.string()),
  timeout_ms: z.int().positive(),
  deadline_ms: z.int().positive(),
  max_attempts: z.int().positive(),
  retry_policy: z.strictObject({ network: rule, timeout: rule, rate_limit: rule, service: rule }),
  examples: z.array(z.looseObject({ input: z.record(z.string(), z.unknown()), output: z.record(z.string(), z.unknown()) })).min(1),
});
const listing = z.strictObject({ tools: z.array(definition).min(2) });

describe('discovery', () => {
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    system = await startSystem({ inProcess });
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  verifies(
    ['AW-01', 'TU-02', 'TU-03', 'TU-04', 'TU-05', 'TU-06', 'TU-10', 'TU-124'],
    'lists the tools with every documented field and no other',
    async () => {
      const { tools } = (await user.get('/tools')).as(listing);
      const byName = new Map(tools.map((tool) => [tool.name, tool]));
      expect(byName.get('user_profile_lookup')).toMatchObject({
        version: '2.0.0',
        domain: 'profile',
        aliases: ['UserProfileLookup'],
        read_only: true,
        cacheable: false,
      });
      expect(byName.get('calc_metrics')).toMatchObject({ version: '2.0.0', domain: 'profile', aliases: ['CalcMetrics'], read_only: true });
      expect(tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name).toSorted());
    },
  );

  verifies(['TU-07', 'TU-71'], 'gives each tool a semantic version whose change is told', async () => {
    for (const { version, changelog } of (await user.get('/tools')).as(listing).tools) expect(Object.keys(changelog)).toContain(version);
  });

  verifies(
    ['TU-12', 'TU-13', 'TU-14'],
    'names tools in snake_case, describes every parameter with its range, and has no switch parameter',
    async () => {
      for (const { name, domain, parameters } of (await user.get('/tools')).as(listing).tools) {
        // There the type of a node (MT-25) or of a document is data, no switch.
        const switches = ['memotree', 'knowledge'].includes(domain) ? ['action', 'operation'] : ['action', 'type', 'operation'];
        expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
        for (const [parameterName, schema] of Object.entries(parameters.properties)) {
          expect(switches).not.toContain(parameterName);
          const { minimum, maximum, description } = z
            .looseObject({ minimum: z.number().optional(), maximum: z.number().optional(), description: z.string() })
            .parse(schema);
          if (minimum !== undefined) expect(description).toContain(`${minimum}–${maximum}`);
        }
      }
    },
  );

  verifies(['TU-09', 'TU-78', 'TU-93'], 'tells the expected tokens of every tool, in and out', async () => {
    for (const { estimated_tokens: tokens } of (await user.get('/tools')).as(listing).tools) {
      if (typeof tokens === 'number') continue;
      expect(tokens.output.min ?? 0).toBeLessThanOrEqual(tokens.output.typical);
      expect(tokens.output.typical).toBeLessThanOrEqual(tokens.output.max);
    }
  });

  verifies(['TU-08', 'TU-80'], 'says which tools are cacheable and for how long', async () => {
    const metrics = (await user.get('/tools/calc_metrics')).as(definition);
    expect(metrics).toMatchObject({ cacheable: true, cache_ttl: 600 });
    const lookup = (await user.get('/tools/user_profile_lookup')).as(definition);
    expect(lookup.cacheable).toBe(false);
    expect(lookup.cache_ttl).toBeUndefined();
  });

  verifies(['AW-38', 'PL-04', 'AW-39', 'AW-41'], 'shows time limits and retry rules of each tool as the documents have them', async () => {
    const lookup = (await user.get('/tools/user_profile_lookup')).as(definition);
    const never = { max_retries: 0, base_delay_ms: 0, factor: 1 };
    expect(lookup.timeout_ms).toBe(5_000);
    expect(lookup.retry_policy).toEqual({
      network: { max_retries: 3, base_delay_ms: 200, factor: 2 },
      timeout: { max_retries: 1, base_delay_ms: 200, factor: 2 },
      rate_limit: never,
      service: never,
    });
    const metrics = (await user.get('/tools/calc_metrics')).as(definition);
    expect(metrics.timeout_ms).toBe(2_000);
    expect(metrics.retry_policy).toEqual({
      network: never,
      timeout: { max_retries: 1, base_delay_ms: 200, factor: 2 },
      rate_limit: never,
      service: never,
    });
  });

  verifies(['TU-17', 'TU-91'], 'declares every tool strict and closed to unknown parameters', async () => {
    for (const tool of (await user.get('/tools')).as(listing).tools) {
      expect(tool.strict).toBe(true);
      expect(tool.parameters.additionalProperties).toBe(false);
      expect(Object.keys(tool.parameters.properties)).toEqual(expect.arrayContaining([...tool.parameters.required]));
    }
  });

  verifies(['TU-11'], 'has a sunset date only as an ISO 8601 date', async () => {
    for (const tool of (await user.get('/tools')).as(listing).tools)
      expect(tool.sunset_date === undefined || !Number.isNaN(Date.parse(tool.sunset_date))).toBe(true);
  });

  test('answers a repeated question with 304 while nothing has changed', async () => {
    for (const path of ['/tools', '/tools/calc_metrics']) {
      const first = await user.get(path);
      const etag = first.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[^"]+"$/);
      const again = await user.get(path, { 'if-none-match': etag });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
      expect((await user.get(path, { 'if-none-match': `"other", W/${etag}` })).status).toBe(304);
      expect((await user.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    }
  });

  test('filters by domain and refuses a domain or format that there is not', async () => {
    expect((await user.get('/tools?domain=profile')).as(listing).tools.every(({ domain }) => domain === 'profile')).toBe(true);
    expect((await user.get('/tools?format=native')).status).toBe(200);
    expectRefusal(await user.get('/tools?domain=nowhere'), { status: 400, code: 'INVALID_PARAMS', paths: ['domain'] });
    expectRefusal(await user.get('/tools?format=morse'), { status: 400, code: 'INVALID_PARAMS', paths: ['format'] });
  });

  verifies(['AW-01', 'TU-105', 'TU-114'], 'knows the documented spellings, and names the nearest tool for an unknown one', async () => {
    for (const alias of ['CalcMetrics', 'calcmetrics', 'CALCMETRICS'])
      expect((await user.get(`/tools/${alias}`)).as(definition).name).toBe('calc_metrics');
    const reply = await user.get('/tools/calc_metric');
    const { error } = expectRefusal(reply, { status: 404, code: 'TOOL_NOT_FOUND' });
    expect(error.message).toContain("Tool 'calc_metric' not found");
    expect(error.message).toContain("'calc_metrics'");
    const called = await user.call('calc_metric', {});
    expectRefusal(called, { status: 404, code: 'TOOL_NOT_FOUND', tool: 'calc_metric' });
    expect((await user.call('Calc_Metrics', {})).status).toBe(404);
  });

  test('pins versions by name@range and ?version=', async () => {
    for (const range of ['2.0.0', '^2', '2.x', '>=1 <3', '*'])
      expect((await user.get(`/tools/calc_metrics@${encodeURIComponent(range)}`)).as(definition).version).toBe('2.0.0');
    expect((await user.get('/tools/calc_metrics?version=%5E2.0.0')).status).toBe(200);
    expectRefusal(await user.get('/tools/calc_metrics@%5E3'), { status: 404, code: 'TOOL_NOT_FOUND' });
    expectRefusal(await user.get('/tools/calc_metrics?version=1.0.0'), { status: 404, code: 'TOOL_NOT_FOUND' });
    expectRefusal(await user.get('/tools/calc_metrics@new'), { status: 400, code: 'INVALID_PARAMS' });
    expectRefusal(await user.call('calc_metrics@1', {}), { status: 404, code: 'TOOL_NOT_FOUND' });
    expect((await user.call('user_profile_lookup@2.0.0', { user_id: 'user_001' })).envelope.success).toBe(true);
  });

  verifies(['TU-94'], 'serves the REST-shaped registry client: POST /tools/list, then POST /tools/call', async () => {
    const { tools } = (await user.post('/tools/list', {})).as(listing);
    // Those whose worker this system runs.
    const registry = new Map(tools.filter(({ domain }) => domain === 'profile').map((tool) => [tool.name, tool]));
    const anything = await system.caller({ scopes: ['*'] });
    for (const [name, tool] of registry) {
      const [example] = tool.examples;
      const answer = await anything.post('/tools/call', { name, arguments: example?.input });
      expect(answer.body).toMatchObject({ success: true, metadata: { tool_name: name } });
    }
    expect((await user.post('/tools/call', { name: 'no_such_tool', arguments: {} })).body).toMatchObject({
      success: false,
      error: { code: 'TOOL_NOT_FOUND' },
      metadata: { tool_name: 'no_such_tool' },
    });
  });
});
