import { expect, test } from '@jest/globals';
import { pause } from './retrying.js';

test.each([2 ** 31, 999_999_999_000, Infinity])('a pause of %d ms, longer than a timer can be, is no end of waiting', async (ms) => {
  const stop = new AbortController();
  const waiting = pause(ms, stop.signal);
  const first = await Promise.race([waiting.then(() => 'over'), new Promise((resolve) => setTimeout(resolve, 20, 'still waiting'))]);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect(first).toBe('still waiting');
});
