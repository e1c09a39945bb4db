import { afterEach, describe, expect, test } from '@jest/globals';
import { hourMs, secondMs } from './clock.js';
import { restoreDate, shiftDate } from './shift-date.js';

const RealDate = Date;
const realNow = Date.now;
/** How far from the real time the test's own reading may be. */
const slackMs = 60_000;
const apart = (time: number) => Math.round((time - realNow()) / slackMs) * slackMs + 0;

afterEach(restoreDate);

describe('a shifted Date', () => {
  test.each([0, hourMs, 25 * hourMs, -hourMs])('tells the time %d ms from now in every way of asking', (ms) => {
    shiftDate(ms);
    expect(apart(Date.now())).toBe(ms);
    expect(apart(new Date().getTime())).toBe(ms);
    expect(apart(Date.parse(Date()))).toBe(ms);
  });

  test('leaves given times as they are', () => {
    shiftDate(hourMs);
    expect(new Date(0).toISOString()).toBe('1970-01-01T00:00:00.000Z');
    expect(new Date('2026-01-15T09:30:00Z').getTime()).toBe(Date.UTC(2026, 0, 15, 9, 30));
    expect(new Date(2026, 0, 15).getMonth()).toBe(0);
  });

  test('makes dates of the one class, before and after, and of subclasses', () => {
    const before = new Date();
    shiftDate(hourMs);
    class Own extends Date {}
    expect([before, new Date(), new Own()].map((date) => date instanceof Date)).toEqual([true, true, true]);
    expect([new Date() instanceof RealDate, new Own() instanceof Own]).toEqual([true, true]);
    expect(apart(new Own().getTime())).toBe(hourMs);
  });

  test('replaces an earlier offset, and 0 gives the real time', () => {
    shiftDate(hourMs);
    shiftDate(2 * hourMs);
    expect(apart(Date.now())).toBe(2 * hourMs);
    shiftDate(0);
    expect(apart(Date.now())).toBe(0);
    expect(apart(new Date().getTime())).toBe(0);
  });

  test('moves references that somebody keeps', () => {
    shiftDate(0);
    const kept = { now: Date.now, Date };
    shiftDate(hourMs);
    expect([apart(kept.now()), apart(kept.Date.now()), apart(new kept.Date().getTime())]).toEqual([hourMs, hourMs, hourMs]);
  });

  test.each([0.5, NaN, Infinity])('refuses an offset of %d ms', (ms) => {
    expect(() => shiftDate(ms)).toThrow(`the offset must be whole milliseconds, not ${ms}`);
  });
});

test('the real clock is put back', () => {
  shiftDate(hourMs);
  const kept = Date;
  restoreDate();
  expect(Date).not.toBe(kept);
  for (const one of [Date, kept]) expect(Math.abs(new one().getTime() - realNow())).toBeLessThan(secondMs);
});
