import { expect, test } from '@jest/globals';
import { Metrics } from '../metrics.js';
import { SharedClock } from './shared-clock.js';

const start = Date.UTC(2026, 10, 22);

/** A machine and a Redis whose clocks can be set. */
function world() {
  const at = { wall: start, steady: 1_000, redis: start, answerMs: 0 };
  const warned: object[] = [];
  const clock = new SharedClock({ wall: () => at.wall, steady: () => at.steady });
  const pass = (ms: number): void => {
    at.wall += ms;
    at.steady += ms;
    at.redis += ms;
  };
  const redis = {
    time: async () => {
      pass(at.answerMs / 2);
      const told = at.redis;
      pass(at.answerMs / 2);
      return [Math.floor(told / 1_000), (told % 1_000) * 1_000];
    },
  };
  return {
    at,
    warned,
    clock,
    pass,
    ask: () => clock.ask(redis, { metrics: new Metrics(), log: { warn: (fields: object) => void warned.push(fields) } }),
  };
}

test("is the machine's own before Redis has been asked", () => {
  const { clock, pass } = world();
  pass(5_000);
  expect(clock.now()).toBe(start + 5_000);
});

test.each([90_000, -90_000])('does not jump when the clock of the machine is set by %d ms', (ms) => {
  const { clock, at, pass } = world();
  at.wall += ms;
  pass(10);
  expect(clock.now()).toBe(start + 10);
});

test.each([90_000, -90_000])('is that of Redis when the machine starts with a clock wrong by %d ms, and the log says so', async (ms) => {
  const { clock, at, ask, warned } = world();
  at.redis -= ms;
  await ask();
  await ask();
  expect(clock.now()).toBe(start - ms);
  expect(warned).toEqual([{ event: 'clock-skew', skew_ms: ms, is_corrected: true }]);
});

test.each([3 * 3_600_000, -101_000])('is not corrected by %d ms: it is not clear who is wrong', async (ms) => {
  const { clock, at, ask, warned } = world();
  at.redis -= ms;
  await ask();
  expect(clock.now()).toBe(start);
  expect(warned).toEqual([{ event: 'clock-skew', skew_ms: ms, is_corrected: false }]);
});

test('leaves the small differences of any two machines', async () => {
  const { clock, at, ask, warned } = world();
  at.redis += 200;
  await ask();
  expect([clock.now(), warned]).toEqual([start, []]);
});

test('takes the time of an answer into account, and none that was slow', async () => {
  const { clock, at, ask } = world();
  at.redis += 60_000;
  at.answerMs = 1_500;
  await ask();
  expect(clock.now()).toBe(start + 1_500);
  at.answerMs = 400;
  await ask();
  expect(clock.now()).toBe(start + 1_900 + 60_000);
});
