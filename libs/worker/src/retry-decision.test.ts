import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { retryDelayMs, retryRuleFor } from './retry-decision.js';
import { sampleTool } from './test-jobs.js';

const rule = { times: 2, baseMs: 200, factor: 2, jitter: 0, maxMs: 60_000 };
const failed = { retryable: true, used: 0 };
const room = { now: 1_000, deadline: 100_000, random: 0.5 };

describe('whether there is another attempt', () => {
  test.each([
    ['the first retry waits for the base delay', { ownFailed: {}, ownRoom: {} }, 200],
    ['the second one for twice as long', { ownFailed: { used: 1 }, ownRoom: {} }, 400],
    ['none when the budget is used', { ownFailed: { used: 2 }, ownRoom: {} }, null],
    ['none when the other side said that it would fail again', { ownFailed: { retryable: false }, ownRoom: {} }, null],
    ['a hint is a floor', { ownFailed: { hintMs: 5_000 }, ownRoom: {} }, 5_000],
    ['a short hint changes nothing', { ownFailed: { hintMs: 10 }, ownRoom: {} }, 200],
    ['a hint as long as the longest pause is taken', { ownFailed: { hintMs: 60_000 }, ownRoom: {} }, 60_000],
    ['none when the hint is longer than the longest pause', { ownFailed: { hintMs: 60_001 }, ownRoom: {} }, null],
    ['one that would begin a millisecond before the deadline is made', { ownFailed: {}, ownRoom: { deadline: 1_201 } }, 200],
    ['none that would begin at the deadline', { ownFailed: {}, ownRoom: { deadline: 1_200 } }, null],
    ['none once the deadline has passed', { ownFailed: {}, ownRoom: { deadline: 999 } }, null],
  ])('%s', (_name, { ownFailed, ownRoom }, delayMs) => {
    expect(retryDelayMs(rule, { ...failed, ...ownFailed }, { ...room, ...ownRoom })).toBe(delayMs);
  });

  test('no attempt ever begins at or after the deadline, and none before the hint is over', () => {
    const any = fc.record({
      times: fc.nat(5),
      used: fc.nat(6),
      baseMs: fc.nat(10_000),
      hintMs: fc.nat(120_000),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
      left: fc.integer({ min: -1_000, max: 200_000 }),
    });
    fc.assert(
      fc.property(any, ({ times, used, baseMs, hintMs, jitter, random, left }) => {
        const delayMs = retryDelayMs(
          { ...rule, times, baseMs, jitter },
          { retryable: true, used, hintMs },
          { now: 1_000, deadline: 1_000 + left, random },
        );
        if (delayMs === null) return;
        expect(delayMs).toBeLessThan(left);
        expect(delayMs).toBeGreaterThanOrEqual(hintMs);
        expect(used).toBeLessThan(times);
      }),
    );
  });
});

describe('the rule of a failure', () => {
  const contract = sampleTool({ retry: { network: { times: 1, baseMs: 100 } } });

  test('is the contract’s, with its defaults', () => {
    expect(retryRuleFor(contract, 'network')).toEqual({ times: 1, baseMs: 100, factor: 2, jitter: 0.25, maxMs: 60_000 });
  });

  test.each(['timeout', 'rate-limit', 'service', 'internal'] as const)(
    '%s is not retried where the contract has no rule for it',
    (kind) => {
      expect(retryRuleFor(contract, kind)).toBeNull();
    },
  );
});
