import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { citiesNamed } from './cities.js';
import { airAt } from './climate.js';

const latitude = fc.double({ min: -90, max: 90, noNaN: true });
const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const seconds = fc.integer({ min: 0, max: 4_000_000_000 });

test('the weather of a place and time is always the same, and could be', () => {
  fc.assert(
    fc.property(latitude, longitude, seconds, (north, east, at) => {
      const air = airAt(north, east, at);
      expect(airAt(north, east, at)).toEqual(air);
      expect(air.celsius).toBeGreaterThan(-60);
      expect(air.celsius).toBeLessThan(60);
      expect(air.feelsLike).toBeLessThanOrEqual(air.celsius);
      expect(air.humidity).toBeGreaterThanOrEqual(30);
      expect(air.humidity).toBeLessThanOrEqual(95);
      expect(air.windKmh).toBeGreaterThanOrEqual(2);
      expect(Number.isInteger(air.weatherCode)).toBe(true);
      expect(air.pm10).toBeGreaterThanOrEqual(air.pm25);
    }),
  );
});

test('snow falls only where it is cold', () => {
  fc.assert(
    fc.property(latitude, longitude, seconds, (north, east, at) => {
      const { celsius, weatherCode } = airAt(north, east, at);
      if ([71, 73, 85].includes(weatherCode)) expect(celsius).toBeLessThan(1);
    }),
  );
});

test('it is day at noon and night at midnight, by the sun of the place', () => {
  const noon = Date.UTC(2026, 5, 1, 12) / 1_000;
  expect([airAt(51.5, 0, noon).isDay, airAt(51.5, 180, noon).isDay]).toEqual([true, false]);
});

test.each([
  ['Beijing', 'Beijing'],
  ['beijing', 'Beijing'],
  ['北京', 'Beijing'],
  ['São Paulo', 'São Paulo'],
  ['sao paulo', 'São Paulo'],
])('%s finds %s first', (asked, name) => {
  expect(citiesNamed(asked)[0]?.name).toBe(name);
});

test.each(['', 'x', 'Qqqqq', '  '])('%j finds nothing', (asked) => {
  expect(citiesNamed(asked)).toEqual([]);
});

test('of cities with one name the largest comes first', () => {
  const found = citiesNamed('Paris');
  expect(found.length).toBeGreaterThan(1);
  expect(found.map(({ population }) => population)).toEqual(found.map(({ population }) => population).toSorted((a, b) => b - a));
});
