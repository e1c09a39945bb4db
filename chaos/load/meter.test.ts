import { expect, test } from '@jest/globals';
import { Meter, recoveryMs } from './meter.js';

/** `perSecond` calls a second from one time to another. */
const steady = (perSecond: number, from: number, to: number) =>
  Array.from({ length: ((to - from) / 1_000) * perSecond }, (_, n) => from + (n * 1_000) / perSecond);

test('counts calls a second between two times', () => {
  const meter = new Meter();
  for (const at of steady(50, 0, 4_000)) meter.count(at);
  expect(meter.rate(1_000, 3_000)).toBe(50);
  expect(meter.rate(5_000, 6_000)).toBe(0);
});

test('recovery is the time until two seconds at 90 % of the throughput begin', () => {
  const ends = [...steady(50, 0, 10_000), ...steady(50, 14_000, 20_000)];
  expect(recoveryMs({ ends, healedAt: 11_000, baseline: 50, now: 20_000 })).toBe(2_800);
  expect(recoveryMs({ ends, healedAt: 11_000, baseline: 50, now: 14_500 })).toBeNull();
});

test('a burst is no recovery', () => {
  const ends = [...steady(50, 0, 10_000), ...steady(1_000, 12_000, 12_050)];
  expect(recoveryMs({ ends, healedAt: 11_000, baseline: 50, now: 20_000 })).toBeNull();
});

test('half the throughput is no recovery', () => {
  expect(recoveryMs({ ends: steady(25, 0, 20_000), healedAt: 11_000, baseline: 50, now: 20_000 })).toBeNull();
});
