import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { domains } from '#lib/contracts';
import { completeProfile, eventually, PrometheusText, startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { verifies } from '../verifies.js';

const body = { height_cm: 183.4375, weight_kg: 88.0625, age: 47, gender: 'female', activity_level: 'very_active' };
const span = z.looseObject({
  span_id: z.string().regex(/^[0-9a-f]{16}$/),
  parent_span_id: z.string().nullable(),
  service: z.string(),
  name: z.string(),
  kind: z.enum(['internal', 'server', 'client', 'producer', 'consumer']),
  started_at: z.iso.datetime(),
  offset_ms: z.number().nonnegative(),
  duration_ms: z.number().nonnegative(),
  status: z.enum(['unset', 'ok', 'error']),
  attributes: z.record(z.string(), z.unknown()),
});
const traceShape = z.strictObject({
  trace_id: z.string(),
  w3c_trace_id: z.string().regex(/^[0-9a-f]{32}$/),
  started_at: z.iso.datetime(),
  duration_ms: z.number(),
  spans: z.array(span).min(1),
});
type Trace = z.infer<typeof traceShape>;

describe('what is seen from outside', () => {
  let system: System;
  let user: HttpCaller;
  let admin: HttpCaller;
  let adminKey: string;

  beforeAll(async () => {
    system = await startSystem();
    user = await system.caller();
    adminKey = await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] });
    admin = user.with({ authorization: `Bearer ${adminKey}` });
    await user.call('calc_metrics', body);
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  /** The trace, once the spans of every process have arrived. */
  const traceOf = (traceId: string, complete: (trace: Trace) => boolean, caller = user) =>
    eventually(
      async () => {
        const reply = await caller.get(`/traces/${traceId}`);
        if (reply.status === 404) return null;
        const trace = reply.as(traceShape);
        return complete(trace) ? trace : null;
      },
      { what: `the whole of ${traceId}` },
    );
  const has = (kind: string) => (trace: Trace) => trace.spans.some((one) => one.kind === kind);

  verifies(['PL-06', 'TU-63'], 'is one tree of spans over gateway, worker and database for a call', async () => {
    const { metadata } = (await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope;
    const trace = await traceOf(
      metadata.trace_id,
      (one) => has('server')(one) && one.spans.some(({ name }) => name.startsWith('pg.query')),
    );
    expect(trace.w3c_trace_id).toContain(metadata.trace_id.slice(-12));
    const byId = new Map(trace.spans.map((one) => [one.span_id, one]));
    const [root, ...others] = trace.spans.filter(({ parent_span_id: parent }) => parent === null || !byId.has(parent));
    expect([root?.kind, root?.service, others]).toEqual(['server', 'gateway', []]);
    const attempt = trace.spans.find(({ kind }) => kind === 'consumer');
    expect(attempt).toMatchObject({
      service: 'profile-worker',
      parent_span_id: root?.span_id,
      attributes: { 'invoq.tool': 'user_profile_lookup', 'invoq.attempt': 1, 'invoq.job_id': metadata.job_id },
    });
    const steps = trace.spans.filter(({ kind, parent_span_id: parent }) => kind === 'internal' && parent === root?.span_id);
    expect(steps.map(({ name }) => name)).toEqual(['validation', 'limits', 'enqueue', 'wait']);
    const query = trace.spans.find(({ name }) => name.startsWith('pg.query'));
    for (let at = query; at !== root;) {
      at = byId.get(at?.parent_span_id ?? '');
      expect(at).toBeDefined();
    }
    expect(JSON.stringify(trace)).not.toMatch(/diabetes|hypertension|176\.25|71\.375/);
  });

  verifies(['TU-65', 'TU-63'], "is found by a caller's own trace id, and joined to its W3C trace", async () => {
    await user.call('user_profile_lookup', { user_id: 'user_001' }, { 'x-trace-id': 'trace_mine_1' });
    expect((await traceOf('trace_mine_1', has('consumer'))).spans.length).toBeGreaterThan(2);
    await user.call('user_profile_lookup', { user_id: 'user_001', _trace_id: 'trace_mine_2' });
    await traceOf('trace_mine_2', has('consumer'));
    const parent = { traceId: 'c0ffee7651916cd43dd8448eb211c803', spanId: 'b7ad6b7169203331' };
    const { metadata } = (
      await user.call('user_profile_lookup', { user_id: 'user_001' }, { traceparent: `00-${parent.traceId}-${parent.spanId}-01` })
    ).envelope;
    const joined = await traceOf(metadata.trace_id, has('consumer'));
    expect(joined.w3c_trace_id).toBe(parent.traceId);
    expect(joined.spans.find(({ kind }) => kind === 'server')?.parent_span_id).toBe(parent.spanId);
  });

  test('of a call is for its caller and administrators', async () => {
    const { metadata } = (await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope;
    await traceOf(metadata.trace_id, (trace) => has('consumer')(trace) && has('server')(trace));
    // Whatever was done for the caller is the caller's: nothing of it is filed elsewhere.
    const idsOf = ({ spans }: Trace) => spans.map(({ span_id: id }) => id);
    const all = await traceOf(metadata.trace_id, has('consumer'), admin);
    expect(idsOf(await traceOf(metadata.trace_id, has('consumer')))).toEqual(expect.arrayContaining(idsOf(all)));
    const other = await system.caller({ userId: 'user_other' });
    const answers = await Promise.all([
      other.get(`/traces/${metadata.trace_id}`),
      other.get('/traces/trace_20260101_000000000000'),
      other.get('/traces/nonsense'),
      other.get('/traces/*'),
    ]);
    for (const reply of answers) expectRefusal(reply, { status: 404, code: 'RESOURCE_NOT_FOUND' });
    expect((await admin.get(`/traces/${metadata.trace_id}`)).status).toBe(200);
  });

  test('of requests without a credential is kept nowhere, so that strangers push out nobody', async () => {
    const traceOfStranger = (n: number) => ({ traceparent: `00-5${String(n).padStart(31, '0')}-b7ad6b7169203331-01` });
    for (let n = 0; n < 20; n++) {
      await system.anonymous.get('/skills', traceOfStranger(n));
      await system.anonymous.get('/healthz', traceOfStranger(n));
      await system.anonymous.get('/jobs', { ...traceOfStranger(n), authorization: 'Bearer invoq_0123456789abcdef_wrong' });
    }
    // What came after them is there.
    const { metadata } = (await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope;
    await traceOf(metadata.trace_id, has('server'));
    for (let n = 0; n < 20; n++) {
      const id = `trace_20260101_5${String(n).padStart(31, '0').slice(0, 11)}`;
      expect((await admin.get(`/traces/${id}`)).status).toBe(404);
    }
  });

  verifies(['TU-69'], 'is counted so that the five rates of the alert rules can be told for each tool', async () => {
    const read = async () =>
      new PrometheusText((await admin.get('/metrics')).text, (await system.anonymous.at(system.worker.url).get('/metrics')).text);
    const before = await read();
    const grown = (after: PrometheusText, name: string, labels: Readonly<Record<string, string>>) =>
      after.sum(name, labels) - before.sum(name, labels);
    for (let age = 60; age < 68; age++) await user.call('calc_metrics', { ...body, age });
    for (let count = 0; count < 4; count++) await user.call('calc_metrics', { ...body, age: 0 });
    await user.call('calc_metrics', { ...body, age: 60 });
    const after = await eventually(async () => {
      const metrics = await read();
      return grown(metrics, 'invoq_tool_calls_total', { tool: 'calc_metrics' }) >= 13 ? metrics : null;
    });
    const of = (labels: Readonly<Record<string, string>>) => grown(after, 'invoq_tool_calls_total', { tool: 'calc_metrics', ...labels });
    expect([
      of({ result: 'success' }),
      of({ result: 'success', cache: 'hit' }),
      of({ result: 'refused', code: 'INVALID_PARAMS' }),
      of({ result: 'failed' }),
    ]).toEqual([9, 1, 4, 0]);
    expect(grown(after, 'invoq_tool_call_duration_seconds_count', { tool: 'calc_metrics' })).toBeGreaterThanOrEqual(8);
    expect(grown(after, 'invoq_tool_call_duration_seconds_sum', { tool: 'calc_metrics' })).toBeGreaterThan(0);
    for (const edge of ['0.5', '2', '+Inf'])
      expect(after.sum('invoq_tool_call_duration_seconds_bucket', { tool: 'calc_metrics', le: edge })).toBeGreaterThan(0);
    expect(grown(after, 'invoq_tool_attempts_total', { tool: 'calc_metrics' })).toBe(8);
    expect(after.sum('invoq_tool_retries_total', { tool: 'calc_metrics' })).toBe(0);
    expect(after.sum('invoq_tool_calls_total', { tool: 'no_such_tool' })).toBe(0);
    const rules = readFileSync('ops/alerts.yml', 'utf8');
    for (const threshold of ['< 0.95', '> 0.05', '> 0.1', '> 0.5', '> 2'])
      expect(rules).toMatch(new RegExp(`${threshold.replace('.', '\\.')}\\b`));
  });

  verifies(['TU-47'], 'is measured of streams: how long they were open, what was sent, what was lost', async () => {
    const before = new PrometheusText((await admin.get('/metrics')).text);
    await using stream = await user.stream('/tools/user_profile_lookup/sse?user_id=user_001');
    await stream.rest();
    const after = await eventually(async () => {
      const metrics = new PrometheusText((await admin.get('/metrics')).text);
      return metrics.sum('sse_connection_duration_seconds_count') > before.sum('sse_connection_duration_seconds_count') ? metrics : null;
    });
    expect(after.sum('sse_events_emitted_total', { event: 'tool_result' })).toBe(
      before.sum('sse_events_emitted_total', { event: 'tool_result' }) + 1,
    );
    expect(after.names).toContain('sse_events_lost_total');
  });

  verifies(['PL-08', 'PL-02', 'AW-11'], 'is a board with one queue a domain, for administrators, without a health value', async () => {
    const page = '/admin/queues';
    const api = `${page}/api/queues?activeQueue=profile&status=latest&page=1&jobsPerPage=100`;
    await user.call('user_profile_lookup', { user_id: 'user_001' });
    for (const path of [page, `${page}/`, api, `${page}/static/js/x.js`]) {
      const anonymous = await system.anonymous.get(path);
      expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic /)]);
      expectRefusal(await user.get(path), { status: 403, code: 'PERMISSION_DENIED' });
    }
    const basic = system.anonymous.with({ authorization: `Basic ${Buffer.from(`admin:${adminKey}`).toString('base64')}` });
    const html = await basic.get(page);
    expect([html.status, html.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    expect(html.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/);
    const board = await basic.get(api);
    const { queues } = z.looseObject({ queues: z.array(z.looseObject({ name: z.string() })) }).parse(board.body);
    // The database is that of all tests: others may have left tools that a tenant serves, each with a queue of its own.
    const ours = queues.map(({ name }) => name).filter((name) => !name.startsWith('own-'));
    expect(ours).toEqual(Object.keys(domains));
    const { medical_conditions, dietary_restrictions, health_goals, height_cm, weight_kg } = completeProfile;
    for (const value of [
      ...medical_conditions,
      ...dietary_restrictions,
      ...health_goals,
      height_cm,
      weight_kg,
      body.height_cm,
      body.weight_kg,
    ])
      expect(board.text).not.toContain(String(value));
    // The parameters of calls that have ended are gone altogether.
    expect(board.text).not.toContain('"input"');
  });

  test('is a board that changes nothing', async () => {
    const { metadata } = (await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope;
    const queue = '/admin/queues/api/queues/profile';
    const changes = [
      ['PUT', `${queue}/pause`],
      ['PUT', `${queue}/empty`],
      ['PUT', `${queue}/clean/completed`],
      ['PUT', `${queue}/retry/completed`],
      ['PUT', `${queue}/${metadata.job_id}/clean`],
      ['PUT', `${queue}/${metadata.job_id}/retry`],
      ['POST', `${queue}/add`],
    ] as const;
    for (const [method, path] of changes) expect((await admin.request(path, { method, json: {} })).status).toBeGreaterThanOrEqual(400);
    expect((await admin.get(`${queue}/${metadata.job_id}`)).status).toBe(200);
    expect((await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope.success).toBe(true);
  });

  test('is whether each process is alive and ready, with what it depends on', async () => {
    for (const base of [system.gateway.url, system.worker.url]) {
      const open = system.anonymous.at(base);
      expect((await open.get('/healthz')).body).toMatchObject({ status: 'alive' });
      expect((await open.get('/readyz')).body).toMatchObject({
        status: 'ready',
        dependencies: { redis: { state: 'up' }, postgres: { state: 'up' } },
      });
    }
    const { unserved_domains } = (await system.anonymous.get('/readyz')).as(z.object({ unserved_domains: z.array(z.string()) }));
    expect(unserved_domains).toContain('stripe');
    expect(unserved_domains).not.toContain('profile');
  });
});
