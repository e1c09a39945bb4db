import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { releaseMemoryOfStart } from './release-memory.js';

test('what a start has left behind is collected once it is over', async () => {
  const left = leaveSomething();
  releaseMemoryOfStart();
  // Another app of the same process has started.
  releaseMemoryOfStart();
  await sleep(2_500);
  expect(left.deref()).toBeUndefined();
});

function leaveSomething(): WeakRef<object> {
  return new WeakRef({ some: 'thing' });
}
