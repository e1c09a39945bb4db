import { describe, expect, test } from '@jest/globals';
import { tools } from '../all-tools.js';
import { searchKnowledge } from '../tools/knowledge/search-knowledge.js';
import { calcMetrics } from '../tools/profile/calc-metrics.js';
import { toAurawell } from './aurawell.js';
import { nativeOutcome, nativeShapes } from './native.js';

test('every source that a tool names has a shape', () => {
  for (const { source } of tools) if (source) expect(nativeShapes[source]).toBeInstanceOf(Function);
});

describe('the data of a native answer', () => {
  const [{ output }] = searchKnowledge.examples;

  test('has the fields of the source document where those are fewer', () => {
    const outcome = nativeOutcome({ ok: true, data: output, message: 'M' }, searchKnowledge);
    expect(outcome).toMatchObject({ ok: true, message: 'M', data: { query: output.query } });
    expect(JSON.stringify(outcome)).not.toContain('highlight');
  });

  test('is the same where the contract names no fewer, and for errors and unknown tools', () => {
    const fine = { ok: true, data: { a: 1 } } as const;
    const failed = { ok: false, error: { code: 'TIMEOUT', family: 'TIMEOUT', message: 'm' } } as const;
    expect(nativeOutcome(fine, calcMetrics)).toBe(fine);
    expect(nativeOutcome(fine, undefined)).toBe(fine);
    expect(nativeOutcome(failed, searchKnowledge)).toBe(failed);
  });
});

describe('the message of an AuraWell answer', () => {
  test.each([
    [{ ok: true, data: {} }, 'OK'],
    [{ ok: true, data: {}, message: '' }, 'OK'],
    [{ ok: true, data: {}, message: 'Done.' }, 'Done.'],
    [{ ok: true, data: {}, warnings: ['A.', 'B.'] }, 'A. B.'],
    [{ ok: true, data: {}, message: 'Done.', warnings: ['A.'] }, 'Done. A.'],
  ] as const)('of %j is %j', (outcome, message) => {
    expect(toAurawell(outcome)).toEqual({ status: 'success', data: {}, error_code: null, message });
  });
});
