import { describe, expect, test } from '@jest/globals';
import { errorCodes, type ErrorCode, type ToolError } from '../errors.js';
import type { Outcome } from '../envelope.js';
import { httpStatus, outcomeFacts, toEnvelope } from './unified.js';

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

describe('the facts of a call', () => {
  const done: Outcome = { ok: true, data: {} };

  test('stand in the metadata where they are known, and nowhere where they are not', () => {
    const performance = { validation_ms: 1, queue_ms: 2, network_ms: 3, processing_ms: 4, total_ms: 10 };
    const known = {
      ...facts,
      executionMs: 0,
      performance,
      cache: { hit: false },
      jobId: 'inv_profile_1',
      attempts: 0,
      toolVersion: '2.0.0',
      metacognition: { checked: true, needs_correction: false } as const,
    };
    expect(toEnvelope(done, known).metadata).toEqual({
      tool_name: 'calc_metrics',
      timestamp: '2026-01-01T00:00:00.000Z',
      trace_id: facts.traceId,
      execution_time_ms: 0,
      performance,
      cache: { hit: false },
      job_id: 'inv_profile_1',
      attempts: 0,
      tool_version: '2.0.0',
      metacognition: { checked: true, needs_correction: false },
    });
    expect(Object.keys(toEnvelope(done, facts).metadata)).toEqual(['tool_name', 'timestamp', 'trace_id']);
  });

  test('for developers stand outside of the metadata, for those who asked', () => {
    expect(toEnvelope(done, { ...facts, debugInfo: { took: 1 } })).toMatchObject({ debug_info: { took: 1 } });
    expect(toEnvelope(failure(), { ...facts, debugInfo: { took: 1 } })).toMatchObject({ debug_info: { took: 1 } });
    expect(toEnvelope(done, facts)).not.toHaveProperty('debug_info');
  });

  test('leave out an empty list of warnings', () => {
    expect(toEnvelope({ ...done, warnings: [] }, facts).metadata).not.toHaveProperty('warnings');
  });

  test('of a success are told to logs with the status 200 and no code', () => {
    expect(outcomeFacts(done)).toEqual({ success: true, error_code: null, native_code: null, http_status: 200 });
  });
});

test.each([
  [1, 1],
  [999, 1],
  [1_000, 1],
  [1_001, 2],
  [0, 0],
])('a wait of %i ms is told as %i s, never too short', (ms, seconds) => {
  expect(toEnvelope(failure({ code: 'RATE_LIMITED', family: 'RATE_LIMITED', retry_after_ms: ms }), facts).retry_after).toBe(seconds);
});
