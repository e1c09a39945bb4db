import { expect, test } from '@jest/globals';
import { platform } from 'node:os';
import { usageOf } from './process-usage.js';

const onLinux = platform() === 'linux' ? test : test.skip;

onLinux('the time and the memory of a process are those that it counts itself', () => {
  for (const end = performance.now() + 200; performance.now() < end;);
  const { user, system } = process.cpuUsage();
  const { processorMs = 0, memoryMb = 0 } = usageOf(process.pid) ?? {};
  expect(Math.abs(processorMs - (user + system) / 1_000)).toBeLessThan(200);
  expect(Math.abs(memoryMb - process.memoryUsage.rss() / 2 ** 20)).toBeLessThan(50);
});

test('a process that has ended uses nothing that is known', () => {
  expect(usageOf(undefined)).toBeNull();
  expect(usageOf(2 ** 30)).toBeNull();
});
