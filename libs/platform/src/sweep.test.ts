import { expect, test } from '@jest/globals';
import { createLogger } from './logger.js';
import { startSweep } from './sweep.js';

test('a sweep runs at once, and its stop waits for it', async () => {
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let isDone = false;
  const work = async () => {
    begun.resolve();
    await held.promise;
    isDone = true;
  };
  const sweep = startSweep('things', work, createLogger('test', 'silent'));
  await begun.promise;
  const stopped = sweep.stop();
  held.resolve();
  await stopped;
  expect(isDone).toBe(true);
});
