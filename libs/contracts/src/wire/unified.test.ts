import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { errorCodes, type ErrorCode, type ToolError } from '../errors.js';
import type { Outcome } from '../envelope.js';
import { toAurawell } from './aurawell.js';
import { eventId, parseEventId, toEndEvent, toToolEvent } from './tool-events.js';
import { httpStatus, toEnvelope } from './unified.js';

const facts = { toolName: 'calc_metrics', traceId: 'trace_20260101_abcdefabcdef', timestamp: Date.UTC(2026, 0, 1) };
const codes = Object.keys(errorCodes).filter((code): code is ErrorCode => Object.hasOwn(errorCodes, code));
const failure = (rest: Partial<ToolError> = {}): Outcome => ({
  ok: false,
  error: { code: 'TIMEOUT', family: 'TIMEOUT', message: 'late', ...rest },
});

describe('the unified envelope', () => {
  test('of a success has data and no error', () => {
    expect(toEnvelope({ ok: true, data: { a: 1 }, warnings: ['w'] }, facts)).toEqual({
      success: true,
      status: 'success',
      data: { a: 1 },
      metadata: { tool_name: 'calc_metrics', timestamp: '2026-01-01T00:00:00.000Z', trace_id: facts.traceId, warnings: ['w'] },
    });
  });

  test.each(codes)('of %s has its status, its retryability and advice', (code) => {
    const outcome = failure({ code, family: code });
    const envelope = toEnvelope(outcome, facts);
    expect(httpStatus(outcome)).toBe(errorCodes[code].http);
    expect(envelope).toMatchObject({
      success: false,
      status: 'error',
      error: { code, retryable: errorCodes[code].retryable, message: 'late', hint: expect.any(String) },
    });
    expect(envelope).not.toHaveProperty('data');
  });

  test('retryable are exactly the codes that the source and the overload answer say', () => {
    expect(codes.filter((code) => errorCodes[code].retryable)).toEqual(['RATE_LIMITED', 'NETWORK_ERROR', 'OVERLOADED', 'TIMEOUT']);
  });

  test('a tool’s own code keeps the status of its family', () => {
    const outcome = failure({ code: 'CITY_NOT_FOUND', family: 'RESOURCE_NOT_FOUND' });
    expect(httpStatus(outcome)).toBe(404);
    expect(toEnvelope(outcome, facts).error?.code).toBe('CITY_NOT_FOUND');
  });

  test('a rate limit says when to come back, in both units', () => {
    const envelope = toEnvelope(failure({ code: 'RATE_LIMITED', family: 'RATE_LIMITED', retry_after_ms: 1_200 }), facts);
    expect(envelope).toMatchObject({ retry_after: 2, error: { retry_after_ms: 1_200 } });
    expect(toEnvelope(failure({ code: 'QUOTA_EXCEEDED', family: 'QUOTA_EXCEEDED' }), facts)).not.toHaveProperty('retry_after');
  });

  test('extra fields cannot take the place of ours', () => {
    expect(toEnvelope(failure({ extra: { code: 'X', message: 'Y', replacement: 'z' } }), facts).error).toMatchObject({
      code: 'TIMEOUT',
      message: 'late',
      replacement: 'z',
    });
  });
});

describe('the AuraWell answer', () => {
  test('has its four keys and no more', () => {
    expect(toAurawell({ ok: true, data: { a: 1 }, message: 'M.', warnings: ['W.'] })).toEqual({
      status: 'success',
      data: { a: 1 },
      error_code: null,
      message: 'M. W.',
    });
    expect(toAurawell({ ok: true, data: {} }).message).toBe('OK');
    expect(toAurawell(failure({ native_code: 'DATABASE_ERROR' }))).toEqual({
      status: 'error',
      data: null,
      error_code: 'DATABASE_ERROR',
      message: 'late',
    });
    expect(toAurawell(failure()).error_code).toBe('TIMEOUT');
  });
});

describe('events', () => {
  const job = `inv_profile_${'a'.repeat(32)}`;

  test('carry an id that leads back to their place', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), (seq) => expect(parseEventId(eventId(job, seq))).toEqual({ jobId: job, seq })),
    );
  });

  test('strangers’ ids lead nowhere', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(parseEventId(text)).toBeNull()));
    for (const text of [
      '*',
      '$',
      '0-0',
      '../',
      `evt_profile_${'a'.repeat(32)}_-1`,
      `evt_profile_${'a'.repeat(31)}_1`,
      `evt_a\nb_${'a'.repeat(32)}_1`,
    ])
      expect(parseEventId(text)).toBeNull();
  });

  test('have the documented names and fields', () => {
    const stream = { jobId: job, toolName: 'calc_metrics', traceId: facts.traceId };
    expect(toToolEvent({ kind: 'progress', progress: 20, message: 'm', seq: 2, at: 0 }, stream)).toMatchObject({
      event: 'tool_progress',
      data: {
        progress: 20,
        message: 'm',
        metadata: { tool_name: 'calc_metrics', timestamp: '1970-01-01T00:00:00.000Z', trace_id: facts.traceId },
      },
    });
    const retry = {
      kind: 'retry',
      failure: 'timeout',
      retry: 1,
      maxRetries: 2,
      delayMs: 200,
      error: { code: 'TIMEOUT', message: 'late' },
      seq: 3,
      at: 0,
    } as const;
    expect(toToolEvent(retry, stream)).toMatchObject({
      event: 'tool_retrying',
      data: { retry_count: 1, max_retries: 2, delay_ms: 200, error: { code: 'TIMEOUT', message: 'late' } },
    });
    expect(toEndEvent('evt_x', toEnvelope(failure(), facts)).event).toBe('tool_error');
    expect(toEndEvent('evt_x', toEnvelope({ ok: true, data: {} }, facts)).event).toBe('tool_result');
  });
});
