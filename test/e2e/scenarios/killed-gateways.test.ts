// The history after the kill of a gateway that was writing it. Whoever starts the next one says that it has ended, so nobody waits until its lease is over:
// here it would last for minutes.
import { afterAll, beforeAll, jest, test } from '@jest/globals';
import { eventually, startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { historyPage } from '#lib/contracts';
import { partitionOf, RedisKeys } from '#lib/transport';

jest.setTimeout(startTimeoutMs);

const minutesMs = 10 * 60_000;
/** A lease that is given back lasts for less, one of a process that works for more. */
const workingMs = 2_000;

let system: System;
let user: HttpCaller;

beforeAll(async () => {
  system = await startSystem({ gateways: 2 });
  user = await system.caller();
}, startTimeoutMs);
afterAll(async () => system?.[Symbol.asyncDispose](), startTimeoutMs);

let age = 20;
/** @returns its job */
async function call(): Promise<string> {
  const person = { height_cm: 180, weight_kg: 70, age: age++, gender: 'male', activity_level: 'moderate' };
  return (await user.call('calc_metrics', person)).envelope.metadata.job_id ?? '';
}

/** Stops all gateways in a moment in which one writes. */
async function stopWriting(lease: string): Promise<void> {
  const { redis } = system.redis;
  const isWritten = async () => (await redis.pttl(lease)) > workingMs;
  const signal = (name: NodeJS.Signals) => system.gateways.forEach((gateway) => gateway.signal(name));
  for (;;) {
    await call();
    for (let looks = 0; looks < 10_000 && !(await isWritten()); looks++);
    signal('SIGSTOP');
    // What they had sent has come by now.
    await redis.ping();
    if (await isWritten()) return;
    signal('SIGCONT');
  }
}

test('goes on at once, by the gateway that follows it', async () => {
  const lease = new RedisKeys(system.namespace).sweeper(partitionOf('profile'), 'history');
  await stopWriting(lease);
  await system.redis.redis.pexpire(lease, minutesMs);
  await Promise.all(system.gateways.map((gateway) => gateway.kill()));
  await Promise.all(system.gateways.map((gateway) => gateway.start()));
  const jobId = await call();
  const isKept = async () => (await user.get('/history')).as(historyPage).calls.some(({ job_id }) => job_id === jobId);
  await eventually(isKept, { what: 'the call in the history' });
});
