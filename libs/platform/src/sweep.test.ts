import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLogger } from './logger.js';
import { startSweep } from './sweep.js';

const log = createLogger('test', 'silent');
beforeEach(() => void jest.useFakeTimers({ now: new Date('2026-11-22T00:00:00Z') }));
afterEach(() => void jest.useRealTimers());

test('a sweep runs at once, then every minute, until it is stopped', async () => {
  const sweptAt: string[] = [];
  const sweep = startSweep('things', async () => void sweptAt.push(new Date().toISOString().slice(11, 19)), log);
  await jest.advanceTimersByTimeAsync(59_999);
  expect(sweptAt).toEqual(['00:00:00']);
  await jest.advanceTimersByTimeAsync(60_001);
  expect(sweptAt).toEqual(['00:00:00', '00:01:00', '00:02:00']);
  sweep.stop();
  await jest.advanceTimersByTimeAsync(600_000);
  expect(sweptAt).toHaveLength(3);
});

test('a sweep that takes longer than a minute is not begun twice', async () => {
  let sweeps = 0;
  const sweep = startSweep(
    'things',
    async () => {
      sweeps += 1;
      return new Promise((resolve) => void setTimeout(resolve, 150_000));
    },
    log,
  );
  await jest.advanceTimersByTimeAsync(209_999);
  expect(sweeps).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(sweeps).toBe(2);
  sweep.stop();
  await jest.advanceTimersByTimeAsync(600_000);
  expect(sweeps).toBe(2);
});

test('a sweep that fails is tried again after a minute', async () => {
  let sweeps = 0;
  const sweep = startSweep(
    'things',
    async () => {
      sweeps += 1;
      throw new Error('no database');
    },
    log,
  );
  await jest.advanceTimersByTimeAsync(60_000);
  expect(sweeps).toBe(2);
  sweep.stop();
});
