import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { minuteMs, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';

const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

describe('the cache', () => {
  let lab: LabSystem;
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, gateways: 2 });
    system = lab.system;
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const runs = (order: string) => lab.ledger.of(order).attempts.length;

  verifies(['TU-80', 'TU-81', 'TU-107', 'TU-109'], 'answers the second equal call, at either gateway, and says so', async () => {
    const began = system.clock.now;
    const first = (await user.call('calc_metrics', body)).envelope;
    expect(first.metadata).toMatchObject({ cache: { hit: false }, attempts: 1, job_id: expect.any(String) });
    for (const { url } of system.gateways) {
      const before = Date.now();
      const hit = (await user.at(url).call('calc_metrics', body)).envelope;
      expect(hit.data).toEqual(first.data);
      expect(hit.metadata).toMatchObject({
        tool_name: 'calc_metrics',
        execution_time_ms: 0,
        cache: { hit: true, cached_at: expect.any(String), ttl_remaining: expect.any(Number) },
      });
      expect(hit.metadata).not.toHaveProperty('job_id');
      expect(hit.metadata.trace_id).not.toBe(first.metadata.trace_id);
      expect(Date.parse(hit.metadata.timestamp)).toBeGreaterThanOrEqual(before);
      const { ttl_remaining: left = 0, cached_at: at = '' } = hit.metadata.cache ?? {};
      expect(left).toBeGreaterThan(500);
      expect(left).toBeLessThanOrEqual(600);
      expect(Date.parse(at)).toBeGreaterThanOrEqual(began);
      expect(Date.parse(at)).toBeLessThanOrEqual(Date.parse(first.metadata.timestamp));
    }
  });

  verifies(['TU-81'], 'shows how long an entry lasts, and runs the tool again after it', async () => {
    const call = async () => (await user.call('lab_cached', { order: 'short' })).envelope;
    expect(await call()).toMatchObject({ data: { run: 1 }, metadata: { cache: { hit: false } } });
    await system.clock.advance(9 * minuteMs);
    const hit = await call();
    expect(hit).toMatchObject({ data: { run: 1 }, metadata: { cache: { hit: true } } });
    expect(hit.metadata.cache?.ttl_remaining).toBeGreaterThan(0);
    expect(hit.metadata.cache?.ttl_remaining).toBeLessThanOrEqual(60);
    await system.clock.advance(minuteMs);
    expect(await call()).toMatchObject({ data: { run: 2 }, metadata: { cache: { hit: false } } });
  });

  verifies(['TU-82', 'TU-80'], 'goes by the key parameters alone, in any order', async () => {
    const raw = (text: string) =>
      user.request('/tools/calc_metrics', { method: 'POST', raw: text, headers: { 'content-type': 'application/json' } });
    await user.call('calc_metrics', { ...body, age: 51 });
    const reordered = await raw('{"activity_level":"moderate","gender":"male","age":51.0,"weight_kg":70,"height_cm":1.75e2}');
    expect(reordered.body).toMatchObject({ metadata: { cache: { hit: true } } });
    expect((await user.call('calc_metrics', { ...body, age: 52 })).envelope.metadata.cache?.hit).toBe(false);
    await user.call('lab_cached', { order: 'keyed', ignored: 'one' });
    expect((await user.call('lab_cached', { order: 'keyed', ignored: 'two' })).envelope).toMatchObject({
      data: { run: 1 },
      metadata: { cache: { hit: true } },
    });
    expect((await user.call('lab_cached', { order: 'keyed', _trace_id: 'trace_other', debug: true })).envelope).toMatchObject({
      data: { run: 1 },
      metadata: { trace_id: 'trace_other', cache: { hit: true } },
      debug_info: { cache_hit: true },
    });
    expect(runs('keyed')).toBe(1);
  });

  test('keeps users apart', async () => {
    await user.call('lab_cached', { order: 'private' });
    const other = await system.caller({ userId: 'user_other' });
    expect((await other.call('lab_cached', { order: 'private' })).envelope).toMatchObject({
      data: { run: 2 },
      metadata: { cache: { hit: false } },
    });
    const agent = await system.caller({ userId: null, scopes: ['act-as', 'tools:read'] });
    expect((await agent.with({ 'x-user-id': 'user_001' }).call('lab_cached', { order: 'private' })).envelope.metadata.cache?.hit).toBe(
      true,
    );
    expect((await agent.with({ 'x-user-id': 'user_third' }).call('lab_cached', { order: 'private' })).envelope.metadata.cache?.hit).toBe(
      false,
    );
  });

  verifies(['TU-104', 'TU-107'], 'is passed by for enable_cache=false and Cache-Control: no-cache', async () => {
    await user.call('lab_cached', { order: 'passed' });
    const passing = [
      user.post('/tools/lab_cached?enable_cache=false', { order: 'passed' }),
      user.post('/tools/call', { name: 'lab_cached', arguments: { order: 'passed' }, options: { enable_cache: false } }),
      user.post('/tools/lab_cached', { order: 'passed' }, { 'cache-control': 'no-cache' }),
      user.post('/tools/lab_cached', { order: 'passed' }, { 'cache-control': 'max-age=0, no-cache' }),
    ];
    for (const reply of passing) expect((await reply).body).toMatchObject({ success: true, metadata: { cache: { hit: false } } });
    expect(runs('passed')).toBe(5);
  });

  verifies(['TU-82', 'TU-107'], 'holds no errors, and invalid parameters never reach it', async () => {
    for (let run = 1; run <= 2; run++)
      expectRefusal(await user.call('lab_cached', { order: 'refused', refuse: true }), {
        status: 409,
        code: 'CONFLICT',
        native: 'LAB_REFUSED',
      });
    expect(runs('refused')).toBe(2);
    expect((await user.call('lab_cached', { order: 'refused' })).envelope).toMatchObject({ data: { run: 3 } });
    await user.call('lab_cached', { order: 'strict' });
    expectRefusal(await user.call('lab_cached', { order: 'strict', unknown: 1 }), { status: 400, code: 'INVALID_PARAMS' });
  });

  verifies(['TU-08', 'TU-82'], 'has nothing of tools that are not cacheable', async () => {
    for (let run = 0; run < 2; run++) {
      const { metadata } = (await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope;
      expect(metadata.attempts).toBe(1);
      expect(metadata.cache).toBeUndefined();
    }
  });

  test('answers a stream with its two events, and a batch and the native route too', async () => {
    await user.call('calc_metrics', { ...body, age: 61 });
    await using stream = await user.stream('/tools/calc_metrics/sse', { method: 'POST', json: { ...body, age: 61 } });
    const events = await stream.rest();
    expect(events.map(({ event, data }) => [event, data])).toEqual([
      ['tool_progress', expect.objectContaining({ progress: 0 })],
      ['tool_result', expect.objectContaining({ metadata: expect.objectContaining({ cache: expect.objectContaining({ hit: true }) }) })],
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
    const batch = await user.post('/tools/batch', { calls: [{ id: 1, name: 'calc_metrics', arguments: { ...body, age: 61 } }] });
    expect(batch.body).toMatchObject({ results: [{ id: 1, metadata: { cache: { hit: true } } }] });
    expect((await user.post('/aurawell/calc_metrics', { ...body, age: 61 })).body).toMatchObject({ status: 'success' });
  });

  test('of single flight: equal calls at once share one run, each caller its own, and a later one runs again', async () => {
    const params = { order: 'flight', work_ms: 400 };
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => user.at(system.gateways[index % 2]?.url ?? '').call('lab_coalesced', params)),
    );
    expect(new Set(replies.map(({ envelope }) => envelope.metadata.job_id)).size).toBe(1);
    expect(runs('flight')).toBe(1);
    expect((await user.call('lab_coalesced', params)).envelope.data).toEqual({ order: 'flight', run: 1 });
    const other = await system.caller({ userId: 'user_other' });
    expect((await other.call('lab_coalesced', params)).envelope.data).toEqual({ order: 'flight', run: 2 });
    await system.clock.advance(minuteMs);
    expect((await user.call('lab_coalesced', params)).envelope.data).toEqual({ order: 'flight', run: 3 });
  });
});
