// The history after the kill of a gateway that was writing it. Whoever starts the next one says that it has ended, so nobody waits until its lease is over:
// here it would last for minutes.
import { afterAll, beforeAll, jest, test } from '@jest/globals';
import { eventually, startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { historyPage } from '#lib/contracts';
import { partitionOf, RedisKeys } from '#lib/transport';

jest.setTimeout(startTimeoutMs);

const minutesMs = 10 * 60_000;

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

test('goes on at once, by the gateway that follows it', async () => {
  const lease = new RedisKeys(system.namespace).sweeper(partitionOf('profile'), 'history');
  await call();
  // Between two writes it keeps the lease, for a moment.
  await eventually(async () => (await system.redis.redis.pexpire(lease, minutesMs)) === 1, { what: 'the lease' });
  await Promise.all(system.gateways.map((gateway) => gateway.kill()));
  await Promise.all(system.gateways.map((gateway) => gateway.start()));
  const jobId = await call();
  const isKept = async () => (await user.get('/history')).as(historyPage).calls.some(({ job_id }) => job_id === jobId);
  await eventually(isKept, { what: 'the call in the history' });
});
