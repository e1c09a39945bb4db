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

const rule = { times: 5, baseMs: 200, factor: 2, jitter: 0.25, maxMs: 60_000 };

test('delays double, within a quarter either way', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (retry, random) => {
      const delay = backoffMs(rule, retry, { random });
      const nominal = 200 * 2 ** (retry - 1);
      expect(delay).toBeGreaterThanOrEqual(Math.floor(nominal * 0.75));
      expect(delay).toBeLessThanOrEqual(Math.ceil(nominal * 1.25));
    }),
  );
});

test('a hint is a floor, and the cap holds without one', () => {
  expect(backoffMs(rule, 1, { hintMs: 2_000, random: 0 })).toBe(2_000);
  expect(backoffMs(rule, 1, { hintMs: 0, random: 0.5 })).toBe(200);
  expect(backoffMs(rule, 30, { random: 0.5 })).toBe(60_000);
});

test('a waiting caller outlasts every attempt and every backoff', () => {
  expect(wholeDeadlineMs(calcMetrics)).toBeGreaterThan(2 * 2_000 + 200);
  expect(wholeDeadlineMs(userProfileLookup)).toBeGreaterThan(5 * 5_000 + 200 + 400 + 800 + 200);
});
