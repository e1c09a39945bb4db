import { describe, expect, test } from '@jest/globals';
import { Pace, untilTick } from './pace.js';

function paceOf(openTurns: number) {
  const pace = new Pace();
  return { pace, turns: Array.from({ length: openTurns }, () => pace.open()) };
}

test.each([
  [0, 10],
  [1, 10],
  [100, 50],
  [200, 100],
  [1_000, 100],
])('with %i open turns text is written every %i ms', (openTurns, ms) => {
  const { pace, turns } = paceOf(openTurns);
  expect(pace.intervalMs).toBe(ms);
  for (const turn of turns) turn[Symbol.dispose]();
  expect(pace.intervalMs).toBe(10);
});

describe('an answer is read', () => {
  test('at once while few turns are open', () => {
    expect(paceOf(39).pace.beforeRead(1_000)).toBeUndefined();
  });

  test('at once where its first word may be, and at the ticks afterwards, while many are', async () => {
    const { pace } = paceOf(40);
    expect(Array.from({ length: 8 }, (_, chunks) => pace.beforeRead(chunks))).toEqual(Array.from({ length: 8 }, () => undefined));
    const waiting = pace.beforeRead(8);
    expect(waiting).toBeDefined();
    await waiting;
  });
});

test('a tick is never later than an interval', () => {
  for (let n = 0; n < 1_000; n++) {
    const left = untilTick(7);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(7);
  }
});
