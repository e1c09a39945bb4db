import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  completeProfile,
  envelopeShape,
  eventually,
  startSystem,
  startTimeoutMs,
  type HttpCaller,
  type LogLine,
  type System,
} from '#lib/testing';
import { verifies } from '../verifies.js';

const body = { height_cm: 183.4375, weight_kg: 88.0625, age: 47, gender: 'female', activity_level: 'very_active' };

describe('logs', () => {
  let system: System;
  let user: HttpCaller;
  let reader: HttpCaller;

  beforeAll(async () => {
    system = await startSystem();
    user = await system.caller();
    reader = await system.caller({ userId: 'user_reader', scopes: ['tools:read', 'profile:read:any'] });
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  const ofTrace = (event: string, traceId: string): readonly LogLine[] =>
    system.logs().filter((line) => line.event === event && line['trace_id'] === traceId);
  /** The one completion record of a call. Waits for it, and then for a second one that must not come. */
  const recordOf = async (traceId: string): Promise<LogLine> => {
    await eventually(() => ofTrace('call-end', traceId).length > 0, { what: `the record of ${traceId}` });
    await user.call('calc_metrics', { ...body, _trace_id: `trace_after_${traceId.slice(-12)}` }, { 'cache-control': 'no-cache' });
    await eventually(() => ofTrace('call-end', `trace_after_${traceId.slice(-12)}`).length > 0, { what: 'a later record' });
    const [record, ...more] = ofTrace('call-end', traceId);
    expect(more).toEqual([]);
    if (!record) throw new Error('no record');
    return record;
  };
  const traceOf = async (tool: string, params: object, caller = user) => (await caller.call(tool, params)).envelope.metadata.trace_id;

  verifies(['AW-42', 'AW-44', 'AW-45', 'TU-97'], 'hold one completion record of every call, with its times, status and user', async () => {
    const before = Date.now();
    const record = await recordOf(await traceOf('user_profile_lookup', { user_id: 'user_001' }));
    expect(record).toMatchObject({
      level: 'info',
      tool_name: 'user_profile_lookup',
      status: 'success',
      success: true,
      error_code: null,
      user_id: 'user_001',
      tenant_id: system.tenant.id,
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      duration_ms: expect.any(Number),
      execution_time_ms: expect.any(Number),
      attempts: 1,
      cache_hit: false,
      time: expect.any(String),
      name: 'profile-worker',
      msg: expect.any(String),
    });
    expect(Date.parse(String(record['started_at']))).toBeGreaterThanOrEqual(before - 5);
    expect(Number(record['duration_ms'])).toBeGreaterThanOrEqual(Number(record['execution_time_ms']) - 1);
  });

  verifies(['AW-44', 'AW-42'], 'hold the record of a refusal, a cached answer, a stream and each call of a batch too', async () => {
    const refused = await recordOf(await traceOf('calc_metrics', { ...body, age: 0 }));
    expect(refused).toMatchObject({
      tool_name: 'calc_metrics',
      status: 'error',
      success: false,
      error_code: 'INVALID_PARAMS',
      native_code: 'INVALID_INPUT',
      attempts: 0,
      user_id: 'user_001',
    });
    expect(await recordOf(await traceOf('user_profile_lookup', { user_id: 'user_999' }, reader))).toMatchObject({
      status: 'error',
      error_code: 'RESOURCE_NOT_FOUND',
      native_code: 'USER_NOT_FOUND',
      attempts: 1,
    });
    expect(await recordOf(await traceOf('user_profile_lookup', { user_id: 'user_other' }))).toMatchObject({
      status: 'error',
      error_code: 'PERMISSION_DENIED',
    });
    expect(await recordOf(await traceOf('no_such_tool', {}))).toMatchObject({
      tool_name: 'unknown',
      asked_tool: 'no_such_tool',
      error_code: 'TOOL_NOT_FOUND',
      params: null,
    });
    expect((await recordOf(await traceOf('a'.repeat(90), {})))['asked_tool']).toHaveLength(64);
    expect(await recordOf(await traceOf('calc_metrics', { ...body, age: 'old', gender: 'x' }))).toMatchObject({
      error_code: 'INVALID_PARAMS',
      wrong_parameters: 'age, gender',
    });
    await user.call('calc_metrics', body);
    expect(await recordOf(await traceOf('calc_metrics', body))).toMatchObject({ status: 'success', cache_hit: true, attempts: 0 });
    await using stream = await user.stream('/tools/calc_metrics/sse', { method: 'POST', json: body });
    const { metadata } = envelopeShape.parse((await stream.rest()).at(-1)?.data);
    expect(await recordOf(metadata.trace_id)).toMatchObject({ status: 'success', cache_hit: true });
    await user.post('/tools/batch', {
      calls: [1, 2, 3].map((id) => ({
        id,
        name: 'user_profile_lookup',
        arguments: { user_id: 'user_001', _trace_id: `trace_batch_${id}` },
      })),
    });
    for (const id of [1, 2, 3]) expect(await recordOf(`trace_batch_${id}`)).toMatchObject({ status: 'success' });
  });

  verifies(['AW-45'], 'name the user asked about by a lookup, and the caller of the other tools', async () => {
    expect(await recordOf(await traceOf('user_profile_lookup', { user_id: 'user_other' }, reader))).toMatchObject({
      user_id: 'user_other',
    });
    expect(await recordOf(await traceOf('calc_metrics', body, reader))).toMatchObject({ user_id: 'user_reader' });
  });

  verifies(['TU-97', 'AW-43'], 'hold the start of a call with its parameters masked', async () => {
    const traceId = await traceOf('calc_metrics', { ...body, age: 48 });
    const start = await eventually(() => ofTrace('call-start', traceId)[0]);
    expect(start).toMatchObject({
      tool_name: 'calc_metrics',
      name: 'gateway',
      level: 'info',
      params: Object.fromEntries(Object.keys(body).map((name) => [name, '[redacted]'])),
    });
    const record = await recordOf(traceId);
    expect(record['params']).toEqual(start['params']);
    expect((await recordOf(await traceOf('user_profile_lookup', { user_id: 'user_001' })))['params']).toEqual({ user_id: 'user_001' });
  });

  verifies(['TU-47'], 'hold a line for every event of a stream', async () => {
    await using stream = await user.stream('/tools/user_profile_lookup/sse?user_id=user_001');
    const events = await stream.rest();
    const { metadata } = envelopeShape.parse(events.at(-1)?.data);
    const lines = await eventually(() =>
      ofTrace('sse-event', metadata.trace_id).length >= events.length ? ofTrace('sse-event', metadata.trace_id) : null,
    );
    expect(lines.map((line) => [line['sse_event'], line['sse_id']])).toEqual(events.map(({ event, id }) => [event, id]));
  });

  verifies(['AW-11', 'AW-43'], 'hold no health value, whether it was read, sent, refused or put where it does not belong', async () => {
    await user.call('user_profile_lookup', { user_id: 'user_001' });
    const { data } = (await user.call('calc_metrics', body)).envelope;
    await user.call('calc_metrics', {
      ...body,
      activity_level: 'canary-activity',
      mood: 'canary-mood',
      medical_conditions: ['canary-condition'],
    });
    await user.call('calc_metrics', ['canary-array']);
    const query = new URLSearchParams({ height_cm: '183.4375', weight_kg: '88.0625', age: '47', gender: 'canary-gender' });
    await user.get(`/tools/calc_metrics/sse?${query.toString()}`);
    await user.post('/tools/call', {
      name: 'calc_metrics',
      arguments: { ...body, unknown_key: 'canary-key' },
      canary_option: 'canary-option',
    });
    const broken = await user.request('/tools/calc_metrics', {
      method: 'POST',
      raw: '{"height_cm":"canary-broken"',
      headers: { 'content-type': 'application/json' },
    });
    expect(broken.status).toBe(400);
    await recordOf(await traceOf('user_profile_lookup', { user_id: 'user_001' }));
    const printed = system.gateway.printed + system.worker.printed;
    const { user_id: _id, last_updated: _at, age: _age, gender: _gender, activity_level: _level, ...telling } = completeProfile;
    const values = [...Object.values(telling).flat(), data?.['tdee'], data?.['bmr']].map(String);
    for (const value of [...values, '183.4375', '88.0625', 'canary', 'very_active'])
      expect({ value, there: printed.includes(value) }).toEqual({ value, there: false });
  });

  test('are one line of JSON each, whatever a caller sends', async () => {
    const hostile = 'user\n{"level":"fatal","msg":"forged"}\u2028\u001b[31m';
    await user.call('user_profile_lookup', { user_id: hostile });
    await recordOf((await user.call('user_profile_lookup', { user_id: hostile })).envelope.metadata.trace_id);
    const lines = (system.gateway.printed + system.worker.printed).split('\n').filter(Boolean);
    for (const line of lines) expect(() => void JSON.parse(line)).not.toThrow();
    expect(system.logs().some(({ level }) => level === 'fatal')).toBe(false);
    expect(system.gateway.printed).not.toContain('\u001b');
  });
});
