import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { tools } from '../all-tools.js';
import { calcMetrics } from '../tools/profile/calc-metrics.js';
import { stripeGetAccountStatus } from '../tools/stripe/stripe-get-account-status.js';
import { timeoutSettings, withTimeouts } from './timeouts.js';

const settings = z.object(timeoutSettings(tools));

describe('the settings of time limits', () => {
  test('are one for each range that a source document gives', () => {
    expect(Object.keys(settings.shape).toSorted()).toEqual(['PLATFORM_DATABASE_TIMEOUT_MS', 'STRIPE_TIMEOUT_MS']);
  });

  test.each([
    ['STRIPE_TIMEOUT_MS', '2000', true],
    ['STRIPE_TIMEOUT_MS', '4000', true],
    ['STRIPE_TIMEOUT_MS', '1999', false],
    ['STRIPE_TIMEOUT_MS', '4001', false],
    ['STRIPE_TIMEOUT_MS', '2500.5', false],
    ['STRIPE_TIMEOUT_MS', 'soon', false],
    ['PLATFORM_DATABASE_TIMEOUT_MS', '1000', true],
    ['PLATFORM_DATABASE_TIMEOUT_MS', '2001', false],
  ])('%s=%s is taken: %s', (name, text, isTaken) => {
    expect(settings.safeParse({ [name]: text }).success).toBe(isTaken);
  });

  test('move the limit of every contract that names them, and of no other', () => {
    const moved = withTimeouts([stripeGetAccountStatus, calcMetrics], settings.parse({ STRIPE_TIMEOUT_MS: '3500' }));
    expect(moved.map(({ timeoutMs }) => timeoutMs)).toEqual([3_500, calcMetrics.timeoutMs]);
    expect(stripeGetAccountStatus.timeoutMs).toBe(3_000);
  });

  test('leave the contracts as they are where nothing is set', () => {
    expect(withTimeouts(tools, settings.parse({}))).toEqual(tools);
  });

  test('allow the limit that each contract has by itself', () => {
    for (const { timeoutSetting, timeoutMs, name } of tools) {
      if (!timeoutSetting) continue;
      expect([name, timeoutMs >= timeoutSetting.min && timeoutMs <= timeoutSetting.max]).toEqual([name, true]);
    }
  });
});
