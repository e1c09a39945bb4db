import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { envelopeShape, eventually, retryingShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

// What lab_fail may retry: network 3, timeout 2, rate-limit 3, service 1, each from 200 ms; its attempts take 2 s at most.
const baseMs = 200;

let lab: LabSystem;
let system: System;
let user: HttpCaller;

beforeAll(async () => {
  lab = await startLabSystem({ inProcess });
  system = lab.system;
  user = await system.caller();
}, startTimeoutMs);
afterAll(async () => lab?.[Symbol.asyncDispose]());

describe('retries', () => {
  const attempts = (order: string) => lab.ledger.of(order).attempts;
  /** Milliseconds between the attempts that the upstream saw. */
  const gaps = (order: string) =>
    attempts(order)
      .slice(1)
      .map(({ at }, index) => at - (attempts(order)[index]?.at ?? NaN));
  /** Streams a failing call: its retry notices and its last envelope. */
  const fail = async (params: { order: string; kind: string; times: number; retry_after?: string }, query = '') => {
    await using stream = await user.stream(`/tools/lab_fail/sse${query}`, { method: 'POST', json: params });
    const events = await stream.rest();
    return {
      notices: events.filter(({ event }) => event === 'tool_retrying').map(({ data }) => retryingShape.parse(data)),
      last: envelopeShape.parse(events.at(-1)?.data),
      names: events.map(({ event }) => event),
    };
  };

  verifies(
    ['AW-39', 'TU-58', 'TU-62', 'TU-120', 'TU-57', 'TU-28', 'PL-04', 'PL-09'],
    'of a network error are three, each later than the one before, and then it is NETWORK_ERROR',
    async () => {
      const { notices, last } = await fail({ order: 'net', kind: 'network', times: 99 });
      expect(notices.map(({ retry_count, max_retries, error }) => [retry_count, max_retries, error.code])).toEqual(
        [1, 2, 3].map((count) => [count, 3, 'NETWORK_ERROR']),
      );
      expect(last.error).toMatchObject({ code: 'NETWORK_ERROR', retryable: true });
      expect(last.metadata.attempts).toBe(4);
      expect(attempts('net')).toHaveLength(4);
      for (const [index, gap] of gaps('net').entries()) {
        const nominal = baseMs * 2 ** index;
        expect(gap).toBeGreaterThanOrEqual(nominal * 0.75 - 5);
        expect(notices[index]?.delay_ms).toBeGreaterThanOrEqual(nominal * 0.75);
        expect(notices[index]?.delay_ms).toBeLessThanOrEqual(nominal * 1.25 + 1);
      }
      expect(
        expectRefusal(await user.call('lab_fail', { order: 'net-json', kind: 'network', times: 99 }), {
          status: 503,
          code: 'NETWORK_ERROR',
        }).error.hint,
      ).toMatch(/retry/i);
      expect(attempts('net-json')).toHaveLength(4);
    },
  );

  verifies(
    ['TU-59', 'TU-118', 'TU-35', 'TU-57', 'AW-38', 'AW-41'],
    'of a timeout are two, counted by their own rule, each attempt cut at its limit',
    async () => {
      const { notices, last } = await fail({ order: 'slow', kind: 'timeout', times: 99 });
      expect(notices.map(({ retry_count, max_retries, error }) => [retry_count, max_retries, error.code])).toEqual(
        [1, 2].map((count) => [count, 2, 'TIMEOUT']),
      );
      expect(last.error).toMatchObject({ code: 'TIMEOUT', retryable: true });
      expect(attempts('slow')).toHaveLength(3);
      for (const gap of gaps('slow')) expect(gap).toBeGreaterThanOrEqual(2_000 + baseMs * 0.75 - 20);
      expectRefusal(await user.call('lab_fail', { order: 'stuck', kind: 'hang-ignoring-signal', times: 99 }), {
        status: 504,
        code: 'TIMEOUT',
      });
      expect(attempts('stuck')).toHaveLength(3);
    },
  );

  verifies(['TU-60', 'TU-62', 'TU-119'], 'of a rate limit come after the time that the other side asked for', async () => {
    const hinted = await fail({ order: 'limited', kind: 'rate-limit', times: 1, retry_after: '2' });
    expect(expectSuccess(hinted.last)).toEqual({ order: 'limited', attempts: 2 });
    expect(hinted.notices).toMatchObject([{ retry_count: 1, max_retries: 3, error: { code: 'RATE_LIMITED' } }]);
    expect(hinted.notices[0]?.delay_ms).toBeGreaterThanOrEqual(2_000);
    expect(gaps('limited')[0]).toBeGreaterThanOrEqual(1_990);
    const unclear = await fail({ order: 'garbled', kind: 'rate-limit', times: 1, retry_after: 'soon' });
    expect(expectSuccess(unclear.last)).toEqual({ order: 'garbled', attempts: 2 });
    expect(unclear.notices[0]?.delay_ms).toBeLessThan(2_000);
  });

  verifies(['TU-60', 'TU-119'], 'of a rate limit that lasts too long are not waited for: the answer says when', async () => {
    const reply = await user.call('lab_fail', { order: 'closed', kind: 'rate-limit', times: 99, retry_after: '86400' });
    const { error, retry_after } = expectRefusal(reply, { status: 429, code: 'RATE_LIMITED' });
    expect([error.retryable, error.retry_after_ms, retry_after, reply.headers.get('retry-after')]).toEqual([
      true,
      86_400_000,
      86_400,
      '86400',
    ]);
    expect(attempts('closed')).toHaveLength(1);
  });

  verifies(['AW-40', 'PL-04'], 'of an error that the other side answered follow its own rule', async () => {
    const { notices, last } = await fail({ order: 'upstream', kind: 'service', times: 99 });
    expect(notices.map(({ retry_count, max_retries }) => [retry_count, max_retries])).toEqual([[1, 1]]);
    expect(last.error).toMatchObject({ code: 'EXECUTION_ERROR', retryable: false });
    expect(attempts('upstream')).toHaveLength(2);
  });

  verifies(['TU-61', 'TU-62', 'TU-110', 'TU-121', 'TU-40', 'TU-57'], 'there are none of a fault of ours or of a refusal', async () => {
    const internal = await fail({ order: 'ours', kind: 'internal', times: 99 });
    expect(internal.names).toEqual(['tool_progress', 'tool_error']);
    expect(internal.last).toMatchObject({
      error: { code: 'EXECUTION_ERROR', retryable: false },
      metadata: { attempts: 1, execution_time_ms: expect.any(Number) },
    });
    expect(JSON.stringify(internal.last)).not.toMatch(/internal-canary|TypeError|\.js:\d|at /);
    expectRefusal(await user.call('lab_fail', { order: 'ours-json', kind: 'internal', times: 99 }), {
      status: 500,
      code: 'EXECUTION_ERROR',
    });
    expectRefusal(await user.call('lab_fail', { order: 'refused', kind: 'refusal' }), {
      status: 409,
      code: 'CONFLICT',
      native: 'LAB_REFUSED',
    });
    for (const order of ['ours', 'ours-json', 'refused']) expect(attempts(order)).toHaveLength(1);
    const traceId = internal.last.metadata.trace_id;
    const line = await eventually(() => system.logs().find((one) => one.event === 'attempt-failed' && one['trace_id'] === traceId));
    expect(line).toMatchObject({ tool_name: 'lab_fail', err: { type: 'TypeError' } });
  });

  verifies(['PL-03', 'TU-121'], 'there are none of an answer that breaks its contract, and it never passes for a success', async () => {
    const reply = await user.call('lab_fail', { order: 'misshapen', kind: 'bad-output' });
    const { error } = expectRefusal(reply, { status: 500, code: 'EXECUTION_ERROR' });
    expect(error.message).not.toMatch(/zod|expected string|unknown/i);
    expect(attempts('misshapen')).toHaveLength(1);
  });

  verifies(['TU-58', 'TU-108', 'TU-35'], 'end with the first success', async () => {
    for (const times of [1, 3]) {
      const { notices, last } = await fail({ order: `healed-${times}`, kind: 'network', times });
      expect(notices).toHaveLength(times);
      expect(last).toMatchObject({ success: true, data: { attempts: times + 1 }, metadata: { attempts: times + 1 } });
    }
  });

  verifies(['TU-104', 'TU-108'], 'there are none for those who asked for one attempt', async () => {
    const { names, last } = await fail({ order: 'once', kind: 'network', times: 1 }, '?enable_retry=false');
    expect(names).toEqual(['tool_progress', 'tool_error']);
    expect(last).toMatchObject({ error: { code: 'NETWORK_ERROR' }, metadata: { attempts: 1 } });
    expect(attempts('once')).toHaveLength(1);
  });

  verifies(['TU-15', 'PL-10'], 'of a tool that changes something make its effect once', async () => {
    lab.ledger.script('effect', { kind: 'reset-after' }, { kind: 'reset-before' });
    const { envelope } = await user.call('lab_effect', { order: 'effect' });
    expect(envelope).toMatchObject({ success: true, metadata: { attempts: 3 } });
    const { calls, effects } = lab.ledger.of('effect');
    expect([calls.length, effects.length, new Set(calls.map(({ key }) => key)).size]).toEqual([3, 1, 1]);
  });
});

describe('every error code', () => {
  verifies(['TU-28', 'TU-57'], 'says whether the same call may succeed later, and what to do about it', async () => {
    const other = await system.caller({ userId: 'user_other', scopes: ['tools:read', 'profile:read:any'] });
    const codes = [
      ['INVALID_PARAMS', false, /types|formats/i, () => user.call('lab_fail', {})],
      ['UNAUTHORIZED', false, /Bearer/, () => system.anonymous.call('lab_fail', {})],
      ['PERMISSION_DENIED', false, /credential|may/i, () => other.call('lab_effect', { order: 'advice' })],
      ['TOOL_NOT_FOUND', false, /GET \/tools/, () => user.call('lab_nothing', {})],
      ['RESOURCE_NOT_FOUND', false, /id|path/i, () => other.call('user_profile_lookup', { user_id: 'user_999' })],
      ['CONFLICT', false, /state/i, () => user.call('lab_fail', { order: 'advice-refusal', kind: 'refusal' })],
      ['TOOL_DEPRECATED', false, /replacement/i, () => user.call('lab_retired', { word: 'x' })],
      ['EXECUTION_ERROR', false, /trace id/i, () => user.call('lab_fail', { order: 'advice-internal', kind: 'internal', times: 99 })],
      [
        'RATE_LIMITED',
        true,
        /retry/i,
        () => user.call('lab_fail', { order: 'advice-limit', kind: 'rate-limit', times: 99, retry_after: '9999' }),
      ],
      ['NETWORK_ERROR', true, /retry/i, () => user.call('lab_fail', { order: 'advice-net', kind: 'network', times: 99 })],
      ['TIMEOUT', true, /retry/i, () => user.call('lab_fail', { order: 'advice-slow', kind: 'timeout', times: 99 })],
    ] as const;
    const answers = await Promise.all(
      codes.map(async ([code, retryable, hint, call]) => [code, retryable, hint, (await call()).envelope] as const),
    );
    for (const [code, retryable, hint, envelope] of answers)
      expect(envelope).toMatchObject({
        error: { code, retryable, message: expect.stringMatching(/\w/), hint: expect.stringMatching(hint) },
      });
  });
});

describe('the life of a tool', () => {
  verifies(['TU-73', 'TU-122'], 'ends with TOOL_DEPRECATED on every door, without running', async () => {
    const facts = { replacement: 'lab_sunset', sunset_date: '2026-01-01', migration_guide: 'https://example.com/guides/lab-retired' };
    const reply = await user.call('lab_retired', { word: 'x' });
    expect(expectRefusal(reply, { status: 410, code: 'TOOL_DEPRECATED', tool: 'lab_retired' }).error).toMatchObject({
      retryable: false,
      ...facts,
    });
    expect(reply.envelope.metadata).not.toHaveProperty('job_id');
    await using stream = await user.stream('/tools/lab_retired/sse?word=x');
    expect(await stream.rest()).toMatchObject([{ event: 'tool_error', data: { error: { code: 'TOOL_DEPRECATED', ...facts } } }]);
    expect((await user.call('lab_retired@1.0.0', { word: 'x' })).status).toBe(410);
  });

  verifies(['TU-72', 'TU-10', 'TU-11'], 'shows in its definition what replaces it and when it ends', async () => {
    expect((await user.get('/tools/lab_retired')).body).toMatchObject({
      deprecated: true,
      sunset_date: '2026-01-01',
      replacement: 'lab_sunset',
      migration_guide: 'https://example.com/guides/lab-retired',
    });
    const { body } = await user.get('/tools');
    expect(JSON.stringify(body)).toContain('"replacement":"lab_sunset"');
  });

  test('is announced to end by headers and a warning while it still serves', async () => {
    const reply = await user.call('lab_sunset', { word: 'dusk' });
    expect(expectSuccess(reply.envelope)).toEqual({ word: 'dusk' });
    expect(reply.envelope.metadata.warnings).toEqual([expect.stringContaining('2099-12-31')]);
    expect(reply.headers.get('sunset')).toBe('Thu, 31 Dec 2099 00:00:00 GMT');
    expect(reply.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(reply.headers.get('link')).toContain('rel="successor-version"');
    expect((await user.call('lab_cached', { order: 'active' })).headers.get('sunset')).toBeNull();
    await using stream = await user.stream('/tools/lab_sunset/sse?word=dusk');
    expect(stream.headers.get('sunset')).toBe('Thu, 31 Dec 2099 00:00:00 GMT');
    expect((await stream.rest()).at(-1)).toMatchObject({ data: { metadata: { warnings: [expect.stringContaining('2099-12-31')] } } });
  });
});
