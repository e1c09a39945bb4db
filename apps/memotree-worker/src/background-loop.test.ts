import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createLogger } from '#lib/platform';
import { BackgroundLoop } from './background-loop.js';

const log = createLogger('test', 'silent');

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A task that counts its runs, and waits while it is held. */
function countingTask(name = 'task') {
  const task = {
    name,
    runs: 0,
    hold: null as Promise<void> | null,
    run: async (signal: AbortSignal) => {
      task.runs += 1;
      task.signal = signal;
      await task.hold;
    },
    signal: null as AbortSignal | null,
  };
  return task;
}

function held(): { readonly promise: Promise<void>; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, release: resolve };
}

describe('a loop', () => {
  test('runs its tasks in their order, again and again, every two seconds or so', async () => {
    const order: string[] = [];
    const loop = new BackgroundLoop(
      ['a', 'b'].map((name) => ({ name, run: async () => void order.push(name) })),
      log,
    );
    loop.start();
    await jest.advanceTimersByTimeAsync(1_599);
    expect(order).toEqual([]);
    await jest.advanceTimersByTimeAsync(801);
    expect(order).toEqual(['a', 'b']);
    await jest.advanceTimersByTimeAsync(2_400);
    expect(order.slice(0, 4)).toEqual(['a', 'b', 'a', 'b']);
    await loop.close();
  });

  test('runs nothing before it is started', async () => {
    const task = countingTask();
    const loop = new BackgroundLoop([task], log);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(task.runs).toBe(0);
    await loop.close();
  });

  test('goes on after a task that failed, with the others', async () => {
    const task = countingTask();
    const failing = { name: 'failing', run: () => Promise.reject(new Error('no database')) };
    const loop = new BackgroundLoop([failing, task], log);
    loop.start();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(task.runs).toBeGreaterThanOrEqual(2);
    await loop.close();
  });
});

describe('waking', () => {
  test('runs the tasks at once', async () => {
    const task = countingTask();
    const loop = new BackgroundLoop([task], log);
    loop.start();
    loop.wake();
    await jest.advanceTimersByTimeAsync(1);
    expect(task.runs).toBe(1);
    await loop.close();
  });

  test('while a round runs makes another follow at once, however often it was woken', async () => {
    const task = countingTask();
    const first = held();
    task.hold = first.promise;
    const loop = new BackgroundLoop([task], log);
    loop.wake();
    await jest.advanceTimersByTimeAsync(1);
    loop.wake();
    loop.wake();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(task.runs).toBe(1);
    task.hold = null;
    first.release();
    await jest.advanceTimersByTimeAsync(1);
    expect(task.runs).toBe(2);
    await jest.advanceTimersByTimeAsync(1_500);
    expect(task.runs).toBe(2);
    await loop.close();
  });
});

describe('closing', () => {
  test('stops the running task and waits for its end', async () => {
    const task = countingTask();
    const work = held();
    task.hold = work.promise;
    const loop = new BackgroundLoop([task], log);
    loop.wake();
    await jest.advanceTimersByTimeAsync(1);
    let closed = false;
    const closing = loop.close().then(() => void (closed = true));
    await jest.advanceTimersByTimeAsync(100);
    expect([task.signal?.aborted, closed]).toEqual([true, false]);
    work.release();
    await closing;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(task.runs).toBe(1);
  });

  test('leaves out the tasks that have not begun', async () => {
    const [first, second] = [countingTask('first'), countingTask('second')];
    const work = held();
    first.hold = work.promise;
    const loop = new BackgroundLoop([first, second], log);
    loop.wake();
    await jest.advanceTimersByTimeAsync(1);
    const closing = loop.close();
    work.release();
    await closing;
    expect(second.runs).toBe(0);
  });

  test('cannot be followed by waking', async () => {
    const task = countingTask();
    const loop = new BackgroundLoop([task], log);
    await loop.close();
    loop.wake();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(task.runs).toBe(0);
  });
});
