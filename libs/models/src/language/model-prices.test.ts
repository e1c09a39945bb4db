import { expect, test } from '@jest/globals';
import { modelPrices, priceOf } from './model-prices.js';

const usageOf = (input: number, output: number, cacheRead?: number) => ({
  inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite: undefined },
  outputTokens: { total: output, text: undefined, reasoning: undefined },
});
const prices = modelPrices.parse(
  JSON.stringify({
    'anthropic:claude-*-5': {
      input_micros_per_million: 3_000_000,
      output_micros_per_million: 15_000_000,
      cached_input_micros_per_million: 300_000,
    },
    'small*': { input_micros_per_million: 1, output_micros_per_million: 2 },
  }),
);

test('a call of a model costs what its tokens do, rounded up, and cached input its own price', () => {
  const cost = priceOf(prices, ['claude-opus-5', 'anthropic:claude-opus-5']);
  expect(cost?.(usageOf(1_000, 200))).toBe(6_000);
  expect(cost?.(usageOf(1_000, 200, 900))).toBe(300 + 270 + 3_000);
  expect(cost?.(usageOf(0, 0))).toBe(0);
  expect(priceOf(prices, ['small-1'])?.(usageOf(1, 1))).toBe(1);
});

test('a model that the table does not name has no price', () => {
  for (const name of ['claude-opus-5', 'anthropic:claude-5', 'anthropic:claude-opus-50', 'a-small'])
    expect(priceOf(prices, [name])).toBeNull();
  expect(priceOf({}, ['x'])).toBeNull();
});

test('what a provider says that is no number of tokens costs nothing, and too many cost the most', () => {
  const cost = priceOf(prices, ['anthropic:claude-x-5']);
  expect(cost?.(usageOf(Number.NaN, -5, 100))).toBe(0);
  expect(cost?.(usageOf(1e300, 1))).toBe(1_000_000_000);
});

test.each([
  'nonsense',
  '[]',
  '{"a":1}',
  '{"a":{"input_micros_per_million":-1,"output_micros_per_million":1}}',
  '{"a":{"input_micros_per_million":0.5,"output_micros_per_million":1}}',
])('%s is refused, with what is wrong', (text) => {
  expect(modelPrices.safeParse(text).error?.issues[0]?.message).toMatch(/^must be a JSON object/);
});
