import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isAmong } from './narrowing.js';

const weather = { name: 'get_weather', aliases: ['get_current_weather', 'GetWeather'] };

test.each([
  [undefined, true],
  [[], false],
  [['get_weather'], true],
  [['GET_WEATHER'], true],
  [['getweather'], true],
  [['get_current_weather'], true],
  [['get_weathe'], false],
  [['get_weather2'], false],
  [['get_*'], true],
  [['*weather'], true],
  [['g*_*r'], true],
  [['*'], true],
  [['get_weather*'], true],
  [['get_*_weather'], true],
  [['get__*'], false],
  [['search_*', 'calc_metrics'], false],
  [['weather*get'], false],
  [['get_weather*get_weather'], false],
])('the patterns %j have get_weather: %s', (patterns, isThere) => expect(isAmong(patterns, weather)).toBe(isThere));

test('a star stands for any characters, none included', () => {
  const part = fc.stringMatching(/^[a-z_]{0,8}$/);
  fc.assert(
    fc.property(part, part, part, (start, middle, end) => {
      expect(isAmong([`${start}*${end}`], { name: start + middle + end })).toBe(true);
      expect(isAmong([`${start}*${middle}*${end}`], { name: start + middle + end })).toBe(true);
    }),
  );
});
