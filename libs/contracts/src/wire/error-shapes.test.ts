// Every code of the error table in every shape of answer.
import { describe, expect, test } from '@jest/globals';
import { toAgentEnd } from './agent-events.js';
import { errorCodes, Refusal, type ErrorCode } from '../errors.js';
import type { Outcome } from '../envelope.js';
import { toAurawell } from './aurawell.js';
import { chatError } from './chat-chunks.js';
import { toJsonRpcError, toMcpResult } from './mcp.js';
import { toMemotree } from './memotree.js';
import { toStripe } from './stripe.js';
import { toEndEvent, toSingleEvent } from './tool-events.js';
import { httpStatus, outcomeFacts, toEnvelope } from './unified.js';

const facts = { toolName: 'calc_metrics', traceId: 'trace_20260101_abcdefabcdef', timestamp: Date.UTC(2026, 0, 1) };

/** What each code is called in the shapes of the source documents, where the tool has no literal of its own. */
const table: Record<ErrorCode, { http: number; jsonRpc: number; stripe: string; memotree: string; chat: string; retryable: boolean }> = {
  INVALID_PARAMS: {
    http: 400,
    jsonRpc: -32_600,
    stripe: 'invalid_request',
    memotree: 'INVALID_PARAMS',
    chat: 'agent-error',
    retryable: false,
  },
  UNAUTHORIZED: {
    http: 401,
    jsonRpc: -32_001,
    stripe: 'unauthorized',
    memotree: 'PERMISSION_DENIED',
    chat: 'agent-error',
    retryable: false,
  },
  PERMISSION_DENIED: {
    http: 403,
    jsonRpc: -32_003,
    stripe: 'unauthorized',
    memotree: 'PERMISSION_DENIED',
    chat: 'agent-error',
    retryable: false,
  },
  TOOL_NOT_FOUND: { http: 404, jsonRpc: -32_601, stripe: 'not_found', memotree: 'INVALID_PARAMS', chat: 'agent-error', retryable: false },
  RESOURCE_NOT_FOUND: {
    http: 404,
    jsonRpc: -32_004,
    stripe: 'not_found',
    memotree: 'NODE_NOT_FOUND',
    chat: 'agent-error',
    retryable: false,
  },
  METHOD_NOT_ALLOWED: {
    http: 405,
    jsonRpc: -32_601,
    stripe: 'invalid_request',
    memotree: 'INVALID_PARAMS',
    chat: 'agent-error',
    retryable: false,
  },
  CONFLICT: { http: 409, jsonRpc: -32_009, stripe: 'invalid_request', memotree: 'CONFLICT', chat: 'agent-error', retryable: false },
  RESULT_CONSUMED: {
    http: 410,
    jsonRpc: -32_011,
    stripe: 'invalid_request',
    memotree: 'EXECUTION_ERROR',
    chat: 'agent-error',
    retryable: false,
  },
  EXPIRED: {
    http: 410,
    jsonRpc: -32_012,
    stripe: 'invalid_request',
    memotree: 'EXECUTION_ERROR',
    chat: 'agent-error',
    retryable: false,
  },
  TOOL_DEPRECATED: {
    http: 410,
    jsonRpc: -32_010,
    stripe: 'invalid_request',
    memotree: 'EXECUTION_ERROR',
    chat: 'agent-error',
    retryable: false,
  },
  PAYLOAD_TOO_LARGE: {
    http: 413,
    jsonRpc: -32_600,
    stripe: 'invalid_request',
    memotree: 'INVALID_PARAMS',
    chat: 'agent-error',
    retryable: false,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    http: 415,
    jsonRpc: -32_600,
    stripe: 'invalid_request',
    memotree: 'INVALID_PARAMS',
    chat: 'agent-error',
    retryable: false,
  },
  IDEMPOTENCY_CONFLICT: {
    http: 422,
    jsonRpc: -32_022,
    stripe: 'invalid_request',
    memotree: 'CONFLICT',
    chat: 'agent-error',
    retryable: false,
  },
  RATE_LIMITED: { http: 429, jsonRpc: -32_029, stripe: 'rate_limited', memotree: 'EXECUTION_ERROR', chat: 'agent-error', retryable: true },
  QUOTA_EXCEEDED: {
    http: 429,
    jsonRpc: -32_030,
    stripe: 'rate_limited',
    memotree: 'PERMISSION_DENIED',
    chat: 'quota_exceeded',
    retryable: false,
  },
  CANCELLED: { http: 499, jsonRpc: -32_099, stripe: 'invalid_request', memotree: 'CANCELLED', chat: 'agent-error', retryable: false },
  EXECUTION_ERROR: {
    http: 500,
    jsonRpc: -32_603,
    stripe: 'upstream_error',
    memotree: 'EXECUTION_ERROR',
    chat: 'internal_error',
    retryable: false,
  },
  NETWORK_ERROR: {
    http: 503,
    jsonRpc: -32_050,
    stripe: 'upstream_error',
    memotree: 'STORAGE_ERROR',
    chat: 'internal_error',
    retryable: true,
  },
  OVERLOADED: { http: 503, jsonRpc: -32_053, stripe: 'rate_limited', memotree: 'EXECUTION_ERROR', chat: 'internal_error', retryable: true },
  TIMEOUT: { http: 504, jsonRpc: -32_054, stripe: 'upstream_error', memotree: 'TIMEOUT', chat: 'internal_error', retryable: true },
};
const rows = Object.entries(table).map(([code, row]) => ({ code: code as ErrorCode, ...row }));

test('every code of the table is in this one, and the other way round', () => {
  expect(Object.keys(table).toSorted()).toEqual(Object.keys(errorCodes).toSorted());
});

describe.each(rows)('$code', ({ code, http, jsonRpc, stripe, memotree, chat, retryable }) => {
  const { error } = new Refusal(code, 'what is wrong', { details: [{ path: 'a', message: 'b' }], retry_after_ms: 1_500 });
  const outcome: Outcome = { ok: false, error, warnings: ['w'] };

  test('is an envelope with its status, advice and details', () => {
    expect(httpStatus(outcome)).toBe(http);
    expect(toEnvelope(outcome, facts)).toEqual({
      success: false,
      status: 'error',
      error: {
        code,
        message: 'what is wrong',
        retryable,
        hint: errorCodes[code].advice,
        details: [{ path: 'a', message: 'b' }],
        retry_after_ms: 1_500,
      },
      ...(code === 'RATE_LIMITED' && { retry_after: 2 }),
      metadata: { tool_name: 'calc_metrics', timestamp: '2026-01-01T00:00:00.000Z', trace_id: facts.traceId, warnings: ['w'] },
    });
  });

  test('is the same in logs and metrics', () => {
    expect(outcomeFacts(outcome)).toEqual({ success: false, error_code: code, native_code: null, http_status: http });
  });

  test('is a flat literal for Stripe’s document', () => {
    expect(toStripe(outcome)).toEqual({ success: false, error: stripe, message: 'what is wrong', retry_after_ms: 1_500 });
  });

  test('is four keys for AuraWell’s document', () => {
    expect(toAurawell(outcome)).toEqual({ status: 'error', data: null, error_code: code, message: 'what is wrong' });
  });

  test('is a code of the closed list for MemoTree’s document', () => {
    expect(toMemotree(outcome)).toEqual({ success: false, message: 'what is wrong', data: null, warnings: ['w'], errorCode: memotree });
  });

  test('is one of three types for a chat', () => {
    expect(chatError(error, 'pro')).toEqual({ type: chat, message: 'what is wrong', tier: 'pro' });
  });

  test('is a JSON-RPC error where no message of the protocol was read, and else a result that says so', () => {
    expect(toJsonRpcError(error)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: jsonRpc, message: 'what is wrong', data: { code, retryable } },
    });
    expect(toMcpResult(toEnvelope(outcome, facts))).toMatchObject({ isError: true, structuredContent: { error: { code } } });
  });

  test('ends a stream with an error event', () => {
    expect(toEndEvent('evt_1', toEnvelope(outcome, facts))).toMatchObject({ event: 'tool_error', id: 'evt_1', data: { error: { code } } });
    expect(toSingleEvent(outcome, facts)).toMatchObject({ event: 'tool_error', id: `evt_${facts.traceId}_error` });
    expect(toAgentEnd('evt_1', outcome)).toEqual({ event: 'error', id: 'evt_1', data: { error: 'what is wrong' } });
  });
});

describe('a literal of the tool’s own document', () => {
  const { error } = new Refusal('TIMEOUT', 'm', { native_code: 'DATABASE_ERROR', extra: { suggestion: 'Later.', secret_field: 'x' } });
  const outcome: Outcome = { ok: false, error };

  test('is the code of every native shape that has no closed list, and stands beside the code in the envelope', () => {
    expect(toAurawell(outcome).error_code).toBe('DATABASE_ERROR');
    expect(toStripe(outcome)).toEqual({ success: false, error: 'DATABASE_ERROR', message: 'm', suggestion: 'Later.' });
    expect(toMemotree(outcome).errorCode).toBe('TIMEOUT');
    expect(toEnvelope(outcome, facts).error).toMatchObject({ code: 'TIMEOUT', native_code: 'DATABASE_ERROR' });
    expect(outcomeFacts(outcome).native_code).toBe('DATABASE_ERROR');
  });
});

test('rows of one status agree on nothing but the status: JSON-RPC tells codes apart that HTTP does not', () => {
  const numbers = Object.values(errorCodes).map(({ jsonRpc }) => jsonRpc);
  expect(numbers.every((number) => Number.isInteger(number) && number < -32_000 && number > -32_700)).toBe(true);
});
