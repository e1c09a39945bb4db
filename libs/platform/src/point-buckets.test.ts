import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PointBuckets } from './point-buckets.js';

function buckets(perSecond = 10, most = 50) {
  const clock = { ms: 0 };
  return { clock, all: new PointBuckets({ perSecond, most, now: () => clock.ms }) };
}

describe('a bucket of points', () => {
  test('is full at first, may be exceeded once, and says when something is left again', () => {
    const { all, clock } = buckets();
    expect([all.take('a', 49), all.take('a', 11), all.take('a', 1), all.take('b', 1)]).toEqual([0, 0, 1_100, 0]);
    clock.ms = 1_099;
    expect(all.take('a', 0)).toBe(0);
    expect(all.take('a', 1)).toBe(0);
    expect(all.take('a', 1)).toBeGreaterThan(0);
  });

  test('that is charged owes a full bucket at most, and a charge never lessens what is owed', () => {
    const { all } = buckets();
    all.charge('a', 1_000_000);
    expect(all.take('a', 0)).toBe(5_100);
    all.take('b', 1_000);
    all.charge('b', 1);
    expect(all.take('b', 0)).toBe(95_100);
  });

  test('is never exceeded over any time by more than its fill and the last thing taken', () => {
    const step = fc.record({ waitMs: fc.nat(2_000), points: fc.integer({ min: 0, max: 20 }), charged: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const { all, clock } = buckets();
        let taken = 0;
        for (const { waitMs, points, charged } of steps) {
          clock.ms += waitMs;
          if (all.take('a', points) > 0) continue;
          all.charge('a', charged);
          taken += points + charged;
        }
        expect(taken).toBeLessThanOrEqual(50 + 25 + (clock.ms / 1_000) * 10);
      }),
    );
  });

  test('of a debtor who keeps asking is not forgotten for others, and their number is bounded', () => {
    const { all } = buckets();
    for (const id of ['silent', 'debtor']) all.take(id, 1_000);
    for (let n = 0; n < 30_000; n++) {
      all.take(String(n), 1);
      if (n % 1_000 === 0) all.take('debtor', 1);
    }
    expect(all.take('debtor', 1)).toBeGreaterThan(0);
    expect(all.take('silent', 1)).toBe(0);
  });
});
