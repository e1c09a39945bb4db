import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Metrics } from '#lib/transport';
import { Allowances } from './allowances.js';

function allowances(perSecond = 10) {
  const clock = { ms: 0 };
  const all = new Allowances({ perSecond, whose: 'this credential', metrics: new Metrics(), now: () => clock.ms });
  const isAdmitted = (id: string, points = 1): boolean => {
    try {
      all.admit(id, points);
      return true;
    } catch {
      return false;
    }
  };
  return { all, clock, isAdmitted };
}

describe('an allowance', () => {
  test('is five seconds of points at once, then as many as come back; everybody has an own one', () => {
    const { clock, isAdmitted } = allowances();
    expect(Array.from({ length: 60 }, () => isAdmitted('a')).filter(Boolean)).toHaveLength(50);
    expect(isAdmitted('b')).toBe(true);
    clock.ms += 1_000;
    expect(Array.from({ length: 20 }, () => isAdmitted('a')).filter(Boolean)).toHaveLength(10);
    clock.ms += 3_600_000;
    expect(Array.from({ length: 60 }, () => isAdmitted('a')).filter(Boolean)).toHaveLength(50);
  });

  test('may be owed by a costly request, and is refused until it is paid', () => {
    const { all, clock, isAdmitted } = allowances();
    for (let count = 0; count < 45; count++) isAdmitted('a');
    expect(isAdmitted('a', 20)).toBe(true);
    expect(() => all.admit('a', 1)).toThrow(
      expect.objectContaining({ error: expect.objectContaining({ family: 'RATE_LIMITED', retry_after_ms: 1_600 }) }),
    );
    clock.ms += 1_600;
    expect(isAdmitted('a')).toBe(true);
  });

  test('that is charged afterwards owes a burst at most', () => {
    const { all, clock, isAdmitted } = allowances();
    all.charge('a', 1_000_000);
    clock.ms += 5_001;
    expect(isAdmitted('a')).toBe(true);
  });

  test('is never exceeded over any time by more than its burst and one request', () => {
    const step = fc.record({ waitMs: fc.nat(2_000), points: fc.integer({ min: 0, max: 20 }) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const { clock, isAdmitted } = allowances();
        let taken = 0;
        for (const { waitMs, points } of steps) {
          clock.ms += waitMs;
          if (isAdmitted('a', points)) taken += points;
        }
        expect(taken).toBeLessThanOrEqual(50 + 20 + (clock.ms / 1_000) * 10);
      }),
    );
  });

  test('of many strangers takes bounded memory', () => {
    const { isAdmitted } = allowances();
    for (let id = 0; id < 30_000; id++) isAdmitted(String(id), 1_000);
    // The first are forgotten, the last are not.
    expect([isAdmitted('0'), isAdmitted('29999')]).toEqual([true, false]);
  });
});
