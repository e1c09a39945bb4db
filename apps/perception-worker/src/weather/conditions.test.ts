import { describe, expect, test } from '@jest/globals';
import type { WeatherCondition } from '#lib/contracts';
import { conditionOf } from './conditions.js';

/** Every code that Open-Meteo documents, and the first and last of each range. */
const codes: readonly [number, WeatherCondition][] = [
  [2, 'partly_cloudy'],
  [3, 'overcast'],
  [45, 'fog'],
  [48, 'fog'],
  [51, 'drizzle'],
  [53, 'drizzle'],
  [55, 'drizzle'],
  [56, 'freezing_drizzle'],
  [57, 'freezing_drizzle'],
  [61, 'rain'],
  [63, 'rain'],
  [65, 'rain'],
  [66, 'freezing_rain'],
  [67, 'freezing_rain'],
  [71, 'snow'],
  [73, 'snow'],
  [75, 'snow'],
  [77, 'snow'],
  [80, 'rain_showers'],
  [82, 'rain_showers'],
  [85, 'snow_showers'],
  [86, 'snow_showers'],
  [95, 'thunderstorm'],
  [96, 'thunderstorm_with_hail'],
  [99, 'thunderstorm_with_hail'],
];

describe('a weather code', () => {
  test.each(codes)('%i is %s, by day and by night', (code, condition) => {
    expect([conditionOf(code, true), conditionOf(code, false)]).toEqual([condition, condition]);
  });

  test.each([0, 1])('%i is sunny by day and clear by night', (code) => {
    expect([conditionOf(code, true), conditionOf(code, false)]).toEqual(['sunny', 'clear']);
  });
});

test('no code from 0 to 99 is another condition', () => {
  const found = new Set(Array.from({ length: 100 }, (_, code) => [conditionOf(code, true), conditionOf(code, false)]).flat());
  expect(found).toEqual(new Set(['sunny', 'clear', ...codes.map(([, condition]) => condition)]));
});
