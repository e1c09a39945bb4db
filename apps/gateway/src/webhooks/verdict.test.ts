import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { failsForMs, retryPausesMs, verdictOn, type TryAnswer } from './verdict.js';

const now = Date.parse('2026-11-26T12:00:00Z');
const dayMs = 86_400_000;
const answered = (status: number | null, retryAfter: string | null = null): TryAnswer => ({ status, retryAfter, error: null });
const tried = { tries: 1, failingSince: null, now, chance: 0 };

test('Any 2xx has arrived, and nothing else', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
      expect(verdictOn(answered(status), tried).state === 'succeeded').toBe(status >= 200 && status < 300);
    }),
  );
});

test('The pauses are those of the standard, until one is more than a day after the first try', () => {
  const starts = [0];
  for (let tries = 1; tries <= retryPausesMs.length; tries++) {
    const verdict = verdictOn(answered(500), { ...tried, tries });
    if (verdict.state === 'succeeded' || verdict.dueAt === null) throw new Error('it waits');
    starts.push((starts.at(-1) ?? 0) + verdict.dueAt - now);
  }
  const clock = (ms: number) =>
    [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map((n) => String(Math.floor(n)).padStart(2, '0')).join(':');
  // As its table has them.
  expect(starts.map(clock)).toEqual(['00:00:00', '00:00:05', '00:05:05', '00:35:05', '02:35:05', '07:35:05', '17:35:05', '31:35:05']);
  expect(verdictOn(answered(500), { ...tried, tries: retryPausesMs.length + 1 })).toMatchObject({ state: 'failed', dueAt: null });
});

test('Chance makes a pause longer by a tenth at most, and never shorter', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: retryPausesMs.length }), (chance, tries) => {
      const verdict = verdictOn(answered(null), { ...tried, tries, chance });
      const pause = retryPausesMs[tries - 1] ?? 0;
      const dueAt = verdict.state === 'succeeded' ? null : verdict.dueAt;
      expect(dueAt).toBeGreaterThanOrEqual(now + pause);
      expect(dueAt).toBeLessThanOrEqual(now + pause * 1.1 + 1);
    }),
  );
});

describe('Retry-After', () => {
  test.each<[string, number]>([
    ['120', 120_000],
    ['0', 5_000],
    ['1', 5_000],
    [new Date(now + 600_000).toUTCString(), 600_000],
    [new Date(now - 600_000).toUTCString(), 5_000],
    // No longer than a day.
    ['9999999999', dayMs],
    [new Date(now + 300 * dayMs).toUTCString(), dayMs],
    // What is neither seconds nor a date.
    ['soon', 5_000],
    ['-5', 5_000],
    ['1e9', 5_000],
    ['', 5_000],
  ])('%j is followed for %i ms', (text, ms) => {
    expect(verdictOn(answered(503, text), tried)).toMatchObject({ state: 'waiting', dueAt: now + ms });
  });

  test('holds the whole webhook, as those do who have too much to do', () => {
    expect(verdictOn(answered(500, '60'), tried)).toMatchObject({ heldUntil: now + 60_000 });
    for (const status of [429, 502, 503, 504]) expect(verdictOn(answered(status), tried)).toMatchObject({ heldUntil: now + 5_000 });
    for (const status of [400, 404, 500, null]) expect(verdictOn(answered(status), tried)).toMatchObject({ heldUntil: null });
  });
});

test('410 disables at once, and anything else after five days in which nothing arrived', () => {
  expect(verdictOn(answered(410), tried)).toMatchObject({ state: 'failed', dueAt: null, disables: expect.stringContaining('410') });
  const since = (ago: number) => verdictOn(answered(500), { ...tried, failingSince: now - ago });
  expect(since(failsForMs - 1)).toMatchObject({ disables: null });
  expect(since(failsForMs)).toMatchObject({ disables: expect.stringContaining('five days') });
  expect(verdictOn(answered(204), { ...tried, failingSince: now - 2 * failsForMs })).toEqual({ state: 'succeeded' });
});
