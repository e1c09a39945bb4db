import { describe, expect, test } from '@jest/globals';
import { completeError } from './complete-error.js';
import type { ToolContract } from './define-tool.js';
import { errorCodes, failureCode, failureKinds, Refusal, type ErrorCode } from './errors.js';
import { failureError } from './failure-error.js';
import { calcMetrics } from './tools/profile/calc-metrics.js';

const contract: ToolContract = {
  ...calcMetrics,
  nativeCodes: { INVALID_PARAMS: () => 'FROM_FAULTS', RATE_LIMITED: 'SLOW_DOWN' },
  failures: { network: 'DOWN', timeout: 'LATE' },
  advice: { SLOW_DOWN: { suggestion: 'Wait.', fallback: ['retry_later'] }, DOWN: { suggestion: 'Read.', fallback: ['docs_only'] } },
  retryHintMs: 2_000,
  timeoutMs: 1_234,
};
const error = { code: 'RATE_LIMITED', family: 'RATE_LIMITED', message: 'm' } as const;

describe('an error before the handler runs', () => {
  test('gets the literal of its source document, and what to do instead', () => {
    expect(completeError(contract, error)).toEqual({
      ...error,
      native_code: 'SLOW_DOWN',
      extra: { suggestion: 'Wait.', fallback: ['retry_later'] },
    });
  });

  test('keeps a literal that it has, and its own further fields', () => {
    const own = { ...error, native_code: 'DOWN', extra: { limit: 5, suggestion: 'Mine.' } };
    expect(completeError(contract, own)).toEqual({
      ...own,
      extra: { limit: 5, suggestion: 'Read.', fallback: ['docs_only'] },
    });
  });

  test('stays as it is where the contract says nothing of it', () => {
    const other = { ...error, code: 'OVERLOADED', family: 'OVERLOADED' } as const;
    expect(completeError(contract, other)).toEqual(other);
    expect(completeError({ ...contract, nativeCodes: undefined, advice: undefined } as unknown as ToolContract, error)).toEqual(error);
  });

  test('has no literal that follows from faults: those are known to validation alone', () => {
    const invalid = { ...error, code: 'INVALID_PARAMS', family: 'INVALID_PARAMS' } as const;
    expect(completeError(contract, invalid).native_code).toBeUndefined();
  });
});

describe('a failure', () => {
  test.each(failureKinds)('of the kind %s has the code of its kind and a message of ours', (kind) => {
    const failed = failureError(contract, kind);
    expect(failed).toMatchObject({ code: failureCode[kind], family: failureCode[kind] });
    expect(failed.message).toMatch(/^The (service|tool)/);
  });

  test('names the limit that it ran into', () => {
    const served = { tenant: 'acme', domain: 'sales' };
    expect(failureError(contract, 'internal').message).toContain('the fault is ours');
    expect(failureError({ ...contract, served }, 'internal').message).toBe('The tool failed; its owner finds the cause under the trace id');
    expect(failureError(contract, 'timeout').message).toBe('The tool gave no answer within 1234 ms');
  });

  test('says when to come back: what the other side asked for, else what the contract says, and never for a fault of ours', () => {
    expect(failureError(contract, 'network', { hintMs: 10.2 }).retry_after_ms).toBe(11);
    expect(failureError(contract, 'network', { hintMs: 0 }).retry_after_ms).toBe(1);
    expect(failureError(contract, 'network').retry_after_ms).toBe(2_000);
    expect(failureError(contract, 'internal')).not.toHaveProperty('retry_after_ms');
    expect(failureError(calcMetrics, 'network')).not.toHaveProperty('retry_after_ms');
  });

  test('may have another message, and has the advice of its literal', () => {
    expect(failureError(contract, 'network', { message: 'Other.' })).toMatchObject({
      message: 'Other.',
      native_code: 'DOWN',
      extra: { fallback: ['docs_only'] },
    });
  });
});

describe('the table of codes', () => {
  const rows = Object.entries(errorCodes);

  test.each(rows)('%s has a status of errors and tells what to do', (_code, { http, advice }) => {
    expect(http).toBeGreaterThanOrEqual(400);
    expect(http).toBeLessThan(600);
    expect(advice).toMatch(/^[A-Z].{4,}\.$/);
  });

  test('says of no fault of the caller that trying again helps, except for a rate', () => {
    for (const [code, { http, retryable }] of rows) if (http < 500 && retryable) expect(code).toBe('RATE_LIMITED');
  });
});

test('a refusal is an error with its code as its own family', () => {
  const refusal = new Refusal('CONFLICT', 'not now', { extra: { version: 3 } });
  expect(refusal).toBeInstanceOf(Error);
  expect([refusal.name, refusal.message]).toEqual(['Refusal', 'not now']);
  const code: ErrorCode = 'CONFLICT';
  expect(refusal.error).toEqual({ code, family: code, message: 'not now', extra: { version: 3 } });
});
