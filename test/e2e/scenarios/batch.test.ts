import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { batchShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { inProcess } from '../in-process.js';

const call = (id: string | number, name: string, args: object) => ({ id, name, arguments: args });
const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

describe('a batch', () => {
  let lab: LabSystem;
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess });
    system = lab.system;
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const send = async (calls: readonly object[]) => (await user.post('/tools/batch', { calls })).as(batchShape).results;

  test('answers up to 50 calls in the order asked, whichever ends first', async () => {
    const calls = Array.from({ length: 50 }, (_, index) =>
      call(`c${index}`, 'lab_coalesced', { order: `b${index}`, work_ms: 600 - index * 12 }),
    );
    const results = await send(calls);
    expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
    expect(results.map(({ envelope }) => envelope.data?.['order'])).toEqual(calls.map((_, index) => `b${index}`));
  });

  test('runs its calls at the same time', async () => {
    const calls = Array.from({ length: 20 }, (_, index) => call(index, 'lab_effect', { order: `together-${index}` }));
    using hold = lab.ledger.hold('before-effect', { match: ({ order }) => order.startsWith('together-') });
    const results = send(calls);
    await hold.reached(calls.length);
    hold.release();
    expect((await results).every(({ envelope }) => envelope.success)).toBe(true);
  });

  test('gives each call its own envelope: one that fails stops no other', async () => {
    const results = await send([
      call(1, 'calc_metrics', body),
      call(2, 'calc_metrics', { ...body, age: 0 }),
      call(3, 'no_such_tool', {}),
      call(4, 'user_profile_lookup', { user_id: 'user_other' }),
      call(5, 'lab_fail', { order: 'batch-internal', kind: 'internal', times: 99 }),
      call(6, 'lab_retired', { word: 'x' }),
      call(7, 'UserProfileLookup', { user_id: 'user_001' }),
      call(8, 'calc_metrics@9', body),
    ]);
    expect(results.map(({ id, envelope }) => [id, envelope.success, envelope.error?.code])).toEqual([
      [1, true, undefined],
      [2, false, 'INVALID_PARAMS'],
      [3, false, 'TOOL_NOT_FOUND'],
      [4, false, 'PERMISSION_DENIED'],
      [5, false, 'EXECUTION_ERROR'],
      [6, false, 'TOOL_DEPRECATED'],
      [7, true, undefined],
      [8, false, 'TOOL_NOT_FOUND'],
    ]);
    expect(results.map(({ envelope }) => envelope.metadata.tool_name)).toEqual([
      'calc_metrics',
      'calc_metrics',
      'no_such_tool',
      'user_profile_lookup',
      'lab_fail',
      'lab_retired',
      'user_profile_lookup',
      'calc_metrics',
    ]);
  });

  test('takes options call by call', async () => {
    const results = await send([
      call('cached', 'lab_cached', { order: 'opt' }),
      call('retried', 'lab_fail', { order: 'opt-retry', kind: 'network', times: 1 }),
      { ...call('once', 'lab_fail', { order: 'opt-once', kind: 'network', times: 1 }), options: { enable_retry: false } },
      { ...call('bad', 'lab_cached', { order: 'opt' }), options: { enable_cache: 'maybe' } },
    ]);
    expect(results.map(({ id, envelope }) => [id, envelope.success, envelope.metadata.attempts])).toEqual([
      ['cached', true, 1],
      ['retried', true, 2],
      ['once', false, 1],
      ['bad', false, undefined],
    ]);
  });

  test('is refused whole when it is malformed', async () => {
    const one = call('a', 'calc_metrics', body);
    const wrong = [
      {},
      { calls: [] },
      { calls: 'x' },
      { calls: [{}] },
      { calls: [{ ...one, name: 7 }] },
      { calls: [{ ...one, arguments: [] }] },
      { calls: [one, one] },
      { calls: [{ name: 'calc_metrics', arguments: body }] },
      { calls: [one], more: 1 },
      [],
      null,
    ];
    for (const json of wrong) expectRefusal(await user.post('/tools/batch', json), { status: 400, code: 'INVALID_PARAMS' });
    const many = Array.from({ length: 51 }, (_, index) => call(index, 'calc_metrics', body));
    const refused = expectRefusal(await user.post('/tools/batch', { calls: many }), {
      status: 400,
      code: 'INVALID_PARAMS',
      paths: ['calls'],
    });
    expect(refused.error.message).toContain('50');
  });
});
