import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { progressWriter } from './progress-writer.js';

beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void jest.useRealTimers());

/** A writer whose store answers each write with this. */
function writerOf(answer: () => Promise<boolean> = async () => true) {
  const written: number[] = [];
  const lines: unknown[] = [];
  const unwanted = jest.fn();
  const write = progressWriter({
    attempts: {
      progress: (_jobId, _run, { progress }) => {
        written.push(progress);
        return answer();
      },
    },
    log: { warn: (line: unknown) => void lines.push(line) },
    jobId: 'j',
    attempt: 1,
    onUnwanted: unwanted,
  });
  return { write, written, lines, unwanted };
}

describe('progress', () => {
  test.each([
    [49, [10]],
    [50, [10, 20]],
  ])('that follows after %i ms is written so: %j', (ms, expected) => {
    const { write, written } = writerOf();
    write(10, 'm');
    jest.advanceTimersByTime(ms);
    write(20, 'm');
    expect(written).toEqual(expected);
  });

  test('of 100 is written at once, whatever came before', () => {
    const { write, written } = writerOf();
    write(10, 'm');
    write(100, 'm');
    expect(written).toEqual([10, 100]);
  });

  test('that says the same again is not written', () => {
    const { write, written } = writerOf();
    for (let n = 0; n < 3; n++) {
      write(10, 'm');
      jest.advanceTimersByTime(60);
    }
    expect(written).toEqual([10]);
  });

  test('is written a thousand times at most', () => {
    const { write, written } = writerOf();
    for (let n = 0; n < 1_100; n++) {
      write(n / 20, 'm');
      jest.advanceTimersByTime(60);
    }
    expect(written).toHaveLength(1_000);
  });
});

describe('a write', () => {
  test('that the store does not want ends the attempt', async () => {
    const { write, unwanted } = writerOf(async () => false);
    write(10, 'm');
    await Promise.resolve();
    expect(unwanted).toHaveBeenCalledTimes(1);
  });

  test('that fails is logged, and the attempt goes on', async () => {
    const { write, lines, unwanted } = writerOf(() => Promise.reject(new Error('Redis is away')));
    write(10, 'm');
    await jest.advanceTimersByTimeAsync(0);
    expect(lines).toEqual([{ event: 'progress-lost', job_id: 'j', err: new Error('Redis is away') }]);
    expect(unwanted).not.toHaveBeenCalled();
  });
});
