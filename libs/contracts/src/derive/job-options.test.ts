import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { calcMetrics } from '../tools/profile/calc-metrics.js';
import { userProfileLookup } from '../tools/profile/user-profile-lookup.js';
import { backoffMs, maxAttempts, retryPolicy, retryRule, wholeDeadlineMs } from './job-options.js';

describe('the policy table', () => {
  test('user_profile_lookup: three retries of network faults, one of timeouts, none else', () => {
    expect(retryPolicy(userProfileLookup)).toEqual({
      network: { max_retries: 3, base_delay_ms: 200, factor: 2 },
      timeout: { max_retries: 1, base_delay_ms: 200, factor: 2 },
      rate_limit: { max_retries: 0, base_delay_ms: 0, factor: 1 },
      service: { max_retries: 0, base_delay_ms: 0, factor: 1 },
    });
    expect(maxAttempts(userProfileLookup)).toBe(5);
    expect(userProfileLookup.timeoutMs).toBe(5_000);
  });

  test('calc_metrics: one retry of a timeout', () => {
    expect(retryRule(calcMetrics, 'network')).toBeNull();
    expect(retryRule(calcMetrics, 'timeout')?.times).toBe(1);
    expect(maxAttempts(calcMetrics)).toBe(2);
    expect(calcMetrics.timeoutMs).toBe(2_000);
  });
});

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const anyRule = fc.record({
  times: fc.integer({ min: 1, max: 8 }),
  baseMs: fc.integer({ min: 1, max: 10_000 }),
  factor: fc.double({ min: 1, max: 4, noNaN: true }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  maxMs: fc.integer({ min: 1, max: 120_000 }),
});
const rule = { times: 5, baseMs: 200, factor: 2, jitter: 0.25, maxMs: 60_000 };

describe('the delay before a retry', () => {
  test('lies within its jitter around what the rule says, and is never negative', () => {
    fc.assert(
      fc.property(anyRule, fc.integer({ min: 1, max: 20 }), random, (any, retry, at) => {
        const nominal = Math.min(any.maxMs, any.baseMs * any.factor ** (retry - 1));
        const delay = backoffMs(any, retry, { random: at });
        expect(Number.isInteger(delay) && delay >= 0).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(Math.floor(nominal * (1 - any.jitter)));
        expect(delay).toBeLessThanOrEqual(Math.ceil(nominal * (1 + any.jitter)));
      }),
    );
  });

  test('never falls from one retry to the next, for the same luck', () => {
    fc.assert(
      fc.property(anyRule, fc.integer({ min: 1, max: 19 }), random, (any, retry, at) => {
        expect(backoffMs(any, retry + 1, { random: at })).toBeGreaterThanOrEqual(backoffMs(any, retry, { random: at }));
      }),
    );
  });

  test('is never below what the other side asked for', () => {
    fc.assert(
      fc.property(anyRule, fc.double({ min: 0, max: 600_000, noNaN: true }), random, (any, hintMs, at) => {
        const without = backoffMs(any, 1, { random: at });
        const delay = backoffMs(any, 1, { hintMs, random: at });
        expect(delay).toBeGreaterThanOrEqual(hintMs);
        expect(delay).toBe(Math.max(without, Math.ceil(hintMs)));
      }),
    );
  });

  test.each([
    [1, 0, 150],
    [1, 0.5, 200],
    [1, 0.999_999, 250],
    [2, 0.5, 400],
    [9, 0.5, 51_200],
    [10, 0.5, 60_000],
    [30, 0.5, 60_000],
    [30, 0.999_999, 75_000],
  ])('is, before retry %i and with the luck %d, %i ms', (retry, at, ms) => {
    expect(backoffMs(rule, retry, { random: at })).toBe(ms);
  });

  test('has no jitter where the rule has none', () => {
    fc.assert(fc.property(random, (at) => expect(backoffMs({ ...rule, jitter: 0 }, 3, { random: at })).toBe(800)));
  });
});

describe('a rule', () => {
  test('has its defaults filled in, and those that it says itself stay', () => {
    const contract = {
      ...calcMetrics,
      retry: { network: { times: 1, baseMs: 10 }, service: { times: 2, baseMs: 5, factor: 1, jitter: 0, maxMs: 7 } },
    };
    expect(retryRule(contract, 'network')).toEqual({ times: 1, baseMs: 10, factor: 2, jitter: 0.25, maxMs: 60_000 });
    expect(retryRule(contract, 'service')).toEqual({ times: 2, baseMs: 5, factor: 1, jitter: 0, maxMs: 7 });
  });

  test('of no times is no rule', () => {
    const contract = { ...calcMetrics, retry: { network: { times: 0, baseMs: 10 } } };
    expect([retryRule(contract, 'network'), maxAttempts(contract)]).toEqual([null, 1]);
    expect(retryPolicy(contract).network).toEqual({ max_retries: 0, base_delay_ms: 0, factor: 1 });
  });
});

describe('the deadline of a waiting caller', () => {
  const contract = {
    ...calcMetrics,
    timeoutMs: 1_000,
    retry: { network: { times: 2, baseMs: 100, jitter: 0 }, timeout: { times: 1, baseMs: 50, jitter: 0 } },
  };

  test('is every attempt, every backoff and half a minute for the queue', () => {
    expect(maxAttempts(contract)).toBe(4);
    expect(wholeDeadlineMs(contract)).toBe(4 * 1_000 + (100 + 200) + 50 + 30_000);
    expect(wholeDeadlineMs({ ...contract, retry: {} })).toBe(1_000 + 30_000);
  });

  test('outlasts any way in which the attempts may go', () => {
    const rules = fc.record({ network: anyRule, timeout: anyRule, 'rate-limit': anyRule, service: anyRule }, { requiredKeys: [] });
    fc.assert(
      fc.property(rules, fc.integer({ min: 1, max: 60_000 }), random, (retry, timeoutMs, at) => {
        const any = { ...calcMetrics, retry, timeoutMs };
        const waits = Object.values(retry).flatMap((one) =>
          Array.from({ length: one.times }, (_, n) => backoffMs(one, n + 1, { random: at })),
        );
        const longest = maxAttempts(any) * timeoutMs + waits.reduce((sum, ms) => sum + ms, 0);
        expect(wholeDeadlineMs(any)).toBeGreaterThan(longest);
      }),
    );
  });
});
