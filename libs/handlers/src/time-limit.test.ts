import { expect, test } from '@jest/globals';
import { TimeLimit } from './time-limit.js';

test('fires when the time is up', async () => {
  using limit = new TimeLimit(5);
  await new Promise((resolve) => limit.signal.addEventListener('abort', resolve));
  expect(limit.timedOut).toBe(true);
});

test('fires with its parent, also one that has fired before, and that is no timeout', () => {
  const parent = new AbortController();
  using limit = new TimeLimit(60_000, parent.signal);
  parent.abort(new Error('gone'));
  expect([limit.signal.aborted, limit.timedOut]).toEqual([true, false]);
  using late = new TimeLimit(60_000, parent.signal);
  expect(late.signal.reason).toEqual(new Error('gone'));
});

test('never fires once it is disposed', () => {
  const parent = new AbortController();
  const limit = new TimeLimit(60_000, parent.signal);
  limit[Symbol.dispose]();
  parent.abort();
  expect(limit.signal.aborted).toBe(false);
});
