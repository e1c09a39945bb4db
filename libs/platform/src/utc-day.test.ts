import { expect, test } from '@jest/globals';
import { utcDay } from './utc-day.js';

test('the day of a moment, by UTC, also when the clock goes back', () => {
  const days = ['2026-11-23T23:59:59.999Z', '2026-11-24T00:00:00Z', '2026-11-23T12:00:00Z', '1969-12-31T23:59:59Z', '2026-11-23T12:00:00Z'];
  expect(days.map((text) => utcDay(new Date(text)))).toEqual(days.map((text) => text.slice(0, 10)));
});
