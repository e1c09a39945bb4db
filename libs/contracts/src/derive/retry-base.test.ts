import { expect, test } from '@jest/globals';
import { tools } from '../all-tools.js';
import { calcMetrics } from '../tools/profile/calc-metrics.js';
import { getWeather } from '../tools/perception/get-weather.js';
import { retryPolicy } from './job-options.js';
import { withRetryBase } from './retry-base.js';

test('the setting moves the base of the rules that leave it to the setting, and nothing else', () => {
  expect(retryPolicy(withRetryBase(getWeather, 50))).toEqual({
    network: { max_retries: 3, base_delay_ms: 50, factor: 2 },
    timeout: { max_retries: 2, base_delay_ms: 50, factor: 2 },
    rate_limit: { max_retries: 3, base_delay_ms: 1_000, factor: 1 },
    service: { max_retries: 0, base_delay_ms: 0, factor: 1 },
  });
  expect(withRetryBase(calcMetrics, 50)).toEqual(calcMetrics);
});

test('with its default every contract is as it was declared', () => {
  for (const contract of tools) expect(withRetryBase(contract, 2_000)).toEqual(contract);
});
