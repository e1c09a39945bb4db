import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  acceptedShape,
  batchShape,
  envelopeShape,
  jobShape,
  progressShape,
  startSystem,
  startTimeoutMs,
  type EnvelopeShape,
  type HttpCaller,
  type System,
} from '#lib/testing';
import { expectRefusal, expectSuccess, timeless } from '../expectations.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

type Door = (user: HttpCaller, tool: string, params: Readonly<Record<string, unknown>>) => Promise<EnvelopeShape>;

const lastOf = async (user: HttpCaller, path: string, json?: unknown): Promise<EnvelopeShape> => {
  await using stream = await user.stream(path, json === undefined ? {} : { method: 'POST', json });
  const events = await stream.rest();
  expect(events.filter(({ event }) => event === 'tool_result' || event === 'tool_error')).toHaveLength(1);
  return envelopeShape.parse(events.at(-1)?.data);
};
const queryOf = (params: Readonly<Record<string, unknown>>) =>
  new URLSearchParams(Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]));
const jobOf = async (user: HttpCaller, tool: string, params: unknown) =>
  (await user.post(`/tools/${tool}`, params, { prefer: 'respond-async', 'cache-control': 'no-cache' })).as(acceptedShape).job_id;

/** Every way to make one call and get its envelope. */
const doors: Readonly<Record<string, Door>> = {
  'POST /tools/{name}': async (user, tool, params) => (await user.call(tool, params, { 'cache-control': 'no-cache' })).envelope,
  'POST /tools/call': async (user, name, params) =>
    (await user.post('/tools/call', { name, arguments: params, options: { enable_cache: false } })).as(envelopeShape),
  'POST /tools/batch': async (user, name, params) => {
    const { results } = (
      await user.post('/tools/batch', { calls: [{ id: 'a', name, arguments: params, options: { enable_cache: false } }] })
    ).as(batchShape);
    if (!results[0]) throw new Error('no result');
    return results[0].envelope;
  },
  'GET /tools/{name}/sse': (user, tool, params) => lastOf(user, `/tools/${tool}/sse?enable_cache=false&${queryOf(params).toString()}`),
  'POST /tools/{name}/sse': (user, tool, params) => lastOf(user, `/tools/${tool}/sse?enable_cache=false`, params),
  'POST /tools/{name} as a stream': (user, tool, params) => lastOf(user, `/tools/${tool}?enable_cache=false`, params),
  'GET /jobs/{id}': async (user, tool, params) => {
    const job = (await user.get(`/jobs/${await jobOf(user, tool, params)}?wait=10`)).as(jobShape);
    if (!job.result) throw new Error('not ended');
    return job.result;
  },
  'GET /jobs/{id}/events': async (user, tool, params) => lastOf(user, `/jobs/${await jobOf(user, tool, params)}/events`),
};

const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

describe('every door', () => {
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    system = await startSystem({ inProcess });
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  verifies(['TU-18', 'TU-20', 'TU-21', 'TU-22', 'TU-23', 'TU-33', 'TU-45'], 'answers a success with the same envelope', async () => {
    const calls = [
      ['calc_metrics', body],
      ['user_profile_lookup', { user_id: 'user_001' }],
    ] as const;
    for (const [tool, params] of calls) {
      const expected = (await user.call(tool, params, { 'cache-control': 'no-cache' })).envelope;
      expectSuccess(expected);
      for (const [name, door] of Object.entries(doors))
        expect({ name, answer: timeless(await door(user, tool, params)) }).toEqual({ name, answer: timeless(expected) });
    }
  });

  verifies(['TU-19', 'TU-27', 'TU-34', 'TU-115'], 'answers a refusal of the tool with the same envelope', async () => {
    const reader = await system.caller({ scopes: ['tools:read', 'profile:read:any'] });
    const reply = await reader.call('user_profile_lookup', { user_id: 'user_999' });
    expectRefusal(reply, { status: 404, code: 'RESOURCE_NOT_FOUND', native: 'USER_NOT_FOUND', tool: 'user_profile_lookup' });
    for (const [name, door] of Object.entries(doors))
      expect({ name, answer: timeless(await door(reader, 'user_profile_lookup', { user_id: 'user_999' })) }).toEqual({
        name,
        answer: timeless(reply.envelope),
      });
  });

  verifies(['TU-19', 'TU-106', 'TU-113'], 'answers wrong parameters with the same envelope, before any job', async () => {
    const expected = (await user.call('calc_metrics', { ...body, age: 0 })).envelope;
    for (const [name, door] of Object.entries(doors)) {
      if (name.includes('/jobs/')) continue;
      expect({ name, answer: timeless(await door(user, 'calc_metrics', { ...body, age: 0 })) }).toEqual({
        name,
        answer: timeless(expected),
      });
    }
    expect(expected.metadata).not.toHaveProperty('job_id');
  });

  test('answers an unknown tool on every door that takes a name', async () => {
    const expected = (await user.call('no_such_tool', {})).envelope;
    for (const name of [
      'POST /tools/call',
      'POST /tools/batch',
      'GET /tools/{name}/sse',
      'POST /tools/{name}/sse',
      'POST /tools/{name} as a stream',
    ]) {
      expect({ name, answer: timeless((await doors[name]?.(user, 'no_such_tool', {})) ?? expected) }).toEqual({
        name,
        answer: timeless(expected),
      });
    }
  });

  verifies(['TU-24', 'TU-25', 'TU-26', 'TU-64', 'TU-68', 'TU-109'], 'tells times and ids of the call in metadata', async () => {
    const before = Date.now();
    const reply = await user.call('user_profile_lookup', { user_id: 'user_001' });
    const { metadata } = reply.envelope;
    expect(metadata.execution_time_ms).toBeGreaterThanOrEqual(0);
    expect(Date.parse(metadata.timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(metadata.timestamp)).toBeLessThanOrEqual(Date.now());
    expect(metadata.trace_id).toMatch(/^trace_\d{8}_[0-9a-f]{12}$/);
    expect(metadata.trace_id).toContain(new Date(metadata.timestamp).toISOString().slice(0, 10).replaceAll('-', ''));
    expect(reply.headers.get('x-trace-id')).toBe(metadata.trace_id);
    expect(reply.headers.get('traceparent')).toMatch(new RegExp(`^00-${metadata.trace_id.slice(-12)}[0-9a-f]{20}-[0-9a-f]{16}-01$`));
    expect(metadata).toMatchObject({ attempts: 1, tool_version: '2.0.0', job_id: expect.stringMatching(/^inv_profile_[0-9a-f]{32}$/) });
    if (!metadata.performance) throw new Error('no performance');
    const { total_ms: total, ...parts } = metadata.performance;
    expect(Object.keys(parts).toSorted()).toEqual(['network_ms', 'processing_ms', 'queue_ms', 'validation_ms']);
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeLessThanOrEqual(total + 5);
    expect(parts.network_ms).toBeGreaterThan(0);
  });

  verifies(
    ['TU-30', 'TU-31', 'TU-32', 'TU-36', 'TU-37', 'TU-38', 'TU-95'],
    'streams from progress 0 to one last result, with headers that no proxy buffers',
    async () => {
      await using stream = await user.stream(`/tools/calc_metrics/sse?${queryOf(body).toString()}&enable_cache=false`);
      expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(stream.headers.get('cache-control')).toContain('no-cache');
      expect(stream.headers.get('x-accel-buffering')).toBe('no');
      const events = await stream.rest();
      expect(stream.retryMs).toBe(2_000);
      expect(events.map(({ event }) => event)).toEqual(['tool_progress', 'tool_result']);
      const [first, last] = events;
      expect(progressShape.parse(first?.data)).toMatchObject({
        progress: 0,
        message: expect.stringContaining('calc_metrics'),
        metadata: { tool_name: 'calc_metrics' },
      });
      const result = envelopeShape.parse(last?.data);
      expect(progressShape.parse(first?.data).metadata.trace_id).toBe(result.metadata.trace_id);
      expect(stream.headers.get('x-trace-id')).toBe(result.metadata.trace_id);
      expect(events.map(({ id }) => id)).toEqual([expect.stringMatching(/^evt_.+_1$/), expect.stringMatching(/^evt_.+_2$/)]);
      expect(result.data).toMatchObject({ bmi: 22.86 });
    },
  );

  test('answers a stream refused for its parameters as an event, and as a plain answer where JSON is read too', async () => {
    await using stream = await user.stream('/tools/calc_metrics/sse?height_cm=tall');
    const [only, ...more] = await stream.rest();
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      event: 'tool_error',
      id: expect.stringMatching(/^evt_/),
      data: { success: false, error: { code: 'INVALID_PARAMS' }, metadata: { tool_name: 'calc_metrics' } },
    });
    expectRefusal(await user.get('/tools/calc_metrics/sse?height_cm=tall', { accept: '*/*' }), {
      status: 400,
      code: 'INVALID_PARAMS',
      native: 'INVALID_INPUT',
    });
  });

  verifies(['TU-46'], 'answers JSON for a fast tool when both are accepted, and a stream only to those who read nothing else', async () => {
    const both = await user.post('/tools/calc_metrics', body, { accept: 'text/event-stream, application/json' });
    expect(both.as(envelopeShape).success).toBe(true);
    const json = await user.post('/tools/calc_metrics', body, { accept: 'application/json' });
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  verifies(['TU-63', 'TU-65', 'TU-41'], "echoes a caller's own trace id and joins its W3C trace", async () => {
    for (const own of ['trace_abc123_xyz789', 'trace_1709640000000_a1b2c3d4e']) {
      const byHeader = await user.call('calc_metrics', body, { 'x-trace-id': own });
      expect([byHeader.envelope.metadata.trace_id, byHeader.headers.get('x-trace-id')]).toEqual([own, own]);
      const byParameter = await user.call('calc_metrics', { ...body, _trace_id: own });
      expect([byParameter.envelope.metadata.trace_id, byParameter.headers.get('x-trace-id')]).toEqual([own, own]);
    }
    const refused = await user.call('calc_metrics', { ...body, age: 0, _trace_id: 'trace_refused' });
    expect(refused.envelope.metadata.trace_id).toBe('trace_refused');
    const w3c = '0af7651916cd43dd8448eb211c80319c';
    const joined = await user.call('user_profile_lookup', { user_id: 'user_001' }, { traceparent: `00-${w3c}-b7ad6b7169203331-01` });
    expect(joined.envelope.metadata.trace_id).toMatch(/_0af7651916cd$/);
    expect(joined.headers.get('traceparent')).toContain(w3c);
    for (const bad of ['trace_', 'trace_a b', 'nonsense', `trace_${'x'.repeat(65)}`]) {
      expect((await user.call('calc_metrics', { ...body, _trace_id: bad })).envelope.metadata.trace_id).toMatch(
        /^trace_\d{8}_[0-9a-f]{12}$/,
      );
    }
    const { results } = (
      await user.post('/tools/batch', {
        calls: [
          { id: 1, name: 'calc_metrics', arguments: { ...body, _trace_id: 'trace_one' } },
          { id: 2, name: 'calc_metrics', arguments: { ...body, _trace_id: 'trace_two' } },
        ],
      })
    ).as(batchShape);
    expect(results.map(({ envelope }) => envelope.metadata.trace_id)).toEqual(['trace_one', 'trace_two']);
  });

  test('lets nothing that was sent become an event or a header of its own', async () => {
    const text = encodeURIComponent('x\n\nevent: tool_result\ndata: {"success":true}\r\nid: 7');
    expect((await user.get(`/tools/${text}/sse`)).text).toContain('control character');
    await using stream = await user.stream(`/tools/calc_metrics/sse?gender=${text}`);
    expect(await stream.rest()).toMatchObject([{ event: 'tool_error', data: { error: { code: 'INVALID_PARAMS' } } }]);
    const reply = await user.get('/tools', { 'x-request-id': 'a\tb', 'x-trace-id': 'trace_a\tb' });
    expect(reply.headers.get('x-request-id')).not.toContain('\t');
    expect(reply.headers.get('x-trace-id')).toMatch(/^trace_\d{8}_/);
  });

  test('answers what no shared cache may keep', async () => {
    for (const reply of [await user.call('calc_metrics', body), await user.get('/jobs'), await user.get('/nothing')]) {
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(reply.headers.get('vary')).toMatch(/authorization/i);
    }
    expect((await user.get('/tools')).headers.get('cache-control')).toBe('private, no-cache');
  });

  test('echoes a given request id and makes one otherwise', async () => {
    expect((await user.get('/tools', { 'x-request-id': 'req_42' })).headers.get('x-request-id')).toBe('req_42');
    const made = await Promise.all([user.get('/tools'), user.get('/tools')]);
    expect(new Set(made.map(({ headers }) => headers.get('x-request-id'))).size).toBe(2);
  });

  verifies(['TU-66', 'TU-67', 'TU-109'], 'shows debug_info to those who ask for it in development', async () => {
    const debugged = await user.call('user_profile_lookup', { user_id: 'user_001', debug: true });
    expect(debugged.envelope.debug_info).toMatchObject({
      cache_hit: false,
      retry_count: 0,
      execution_time_ms: expect.any(Number),
      query_duration_ms: expect.any(Number),
    });
    expect(JSON.stringify(debugged.envelope.debug_info)).not.toMatch(/diabetes|hypertension/);
    expect(await user.call('user_profile_lookup', { user_id: 'user_001' })).not.toHaveProperty('envelope.debug_info', expect.anything());
    expect((await user.post('/tools/user_profile_lookup?debug=true', { user_id: 'user_001' })).as(envelopeShape).debug_info).toBeDefined();
  });
});
