import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { IdleTimeout } from './idle-timeout.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const never = new AbortController().signal;
/** A stream that the test feeds. */
function fedStream() {
  let feed: ReadableStreamDefaultController<string> | undefined;
  let isCancelled = false;
  const stream = new ReadableStream<string>({
    start: (controller) => void (feed = controller),
    cancel: () => void (isCancelled = true),
  });
  return { stream, push: (part: string) => feed?.enqueue(part), end: () => feed?.close(), isCancelled: () => isCancelled };
}

describe('an idle timeout', () => {
  test('fires when its time is up, and not a millisecond before', () => {
    using idle = new IdleTimeout(100, never);
    jest.advanceTimersByTime(99);
    expect([idle.signal.aborted, idle.hasExpired]).toEqual([false, false]);
    jest.advanceTimersByTime(1);
    expect([idle.signal.aborted, idle.hasExpired]).toEqual([true, true]);
  });

  test('fires with its parent, also one that had fired before, without having expired', () => {
    const parent = new AbortController();
    using idle = new IdleTimeout(100, parent.signal);
    parent.abort(new Error('stopped'));
    using late = new IdleTimeout(100, parent.signal);
    for (const one of [idle, late]) {
      expect(one.signal.reason).toEqual(new Error('stopped'));
      expect(one.hasExpired).toBe(false);
    }
  });

  test('gives the result of work that ends in time, and rejects work that ignores the signal', async () => {
    using idle = new IdleTimeout(100, never);
    expect(await idle.race(Promise.resolve('done'))).toBe('done');
    const late = idle.race(new Promise(() => undefined));
    jest.advanceTimersByTime(100);
    await expect(late).rejects.toThrow('idle');
    await expect(idle.race(new Promise(() => undefined))).rejects.toThrow('idle');
  });

  test('begins anew with each part of a stream', async () => {
    using idle = new IdleTimeout(100, never);
    const { stream, push, end } = fedStream();
    const parts = idle.read(stream);
    for (const part of ['a', 'b', 'c']) {
      const next = parts.next();
      jest.advanceTimersByTime(90);
      push(part);
      expect(await next).toEqual({ done: false, value: part });
    }
    end();
    expect(await parts.next()).toEqual({ done: true, value: undefined });
    expect(idle.hasExpired).toBe(false);
  });

  test('ends a stream that falls silent with an error, and cancels it', async () => {
    using idle = new IdleTimeout(100, never);
    const { stream, push, isCancelled } = fedStream();
    const parts = idle.read(stream);
    push('a');
    await parts.next();
    const next = parts.next();
    jest.advanceTimersByTime(100);
    await expect(next).rejects.toThrow('idle');
    expect(isCancelled()).toBe(true);
  });

  test('cancels a stream that its reader leaves', async () => {
    using idle = new IdleTimeout(100, never);
    const { stream, push, isCancelled } = fedStream();
    push('a');
    for await (const part of idle.read(stream)) {
      expect(part).toBe('a');
      break;
    }
    expect(isCancelled()).toBe(true);
  });

  test('ends what is still open when it is disposed, and leaves no timer behind', () => {
    let { signal } = new AbortController();
    {
      using idle = new IdleTimeout(100, never);
      ({ signal } = idle);
    }
    expect(signal.aborted).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });
});
