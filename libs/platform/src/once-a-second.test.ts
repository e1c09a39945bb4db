import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { onceASecond } from './once-a-second.js';

beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void jest.useRealTimers());

test('of many reports in a second the first one is let through', () => {
  const seen: number[] = [];
  const report = onceASecond((value: number) => seen.push(value));
  for (let n = 0; n < 10; n++) report(n);
  expect(seen).toEqual([0]);
});

test.each([
  [999, [1]],
  [1_000, [1, 2]],
])('after %i ms %j were reported', (ms, reported) => {
  const seen: number[] = [];
  const report = onceASecond((value: number) => seen.push(value));
  report(1);
  jest.advanceTimersByTime(ms);
  report(2);
  expect(seen).toEqual(reported);
});

test('each reporter has a second of its own', () => {
  const seen: string[] = [];
  for (const name of ['a', 'b']) onceASecond((value: string) => seen.push(value))(name);
  expect(seen).toEqual(['a', 'b']);
});
