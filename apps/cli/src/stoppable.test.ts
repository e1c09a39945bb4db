import { expect, test } from '@jest/globals';
import { stoppable } from './stoppable.js';

const events = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function run(work: (signal: AbortSignal) => Promise<number>) {
  const seen: string[] = [];
  const code = await stoppable({ work, onStop: () => void seen.push('stopping'), onStopped: () => void seen.push('stopped') });
  expect(process.listenerCount('SIGHUP')).toBe(0);
  return { code, seen };
}

test('work that ends by itself gives its own exit code', async () => {
  expect(await run(async () => 1)).toEqual({ code: 1, seen: [] });
});

test.each(events)('%s stops the work in order, with the exit code of an interrupt', async (event) => {
  const result = await run(async (signal) => {
    process.emit(event);
    signal.throwIfAborted();
    return 0;
  });
  expect(result).toEqual({ code: 130, seen: ['stopping', 'stopped'] });
});

test('the echo of a signal through npm is no second request', async () => {
  const result = await run(async () => {
    process.emit('SIGINT');
    process.emit('SIGINT');
    return 0;
  });
  expect(result).toEqual({ code: 0, seen: ['stopping'] });
});

test('what goes wrong without a request to stop is thrown', async () => {
  await expect(
    run(async () => {
      throw new Error('disk full');
    }),
  ).rejects.toThrow('disk full');
});
