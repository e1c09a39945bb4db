import { expect, test } from '@jest/globals';
import { Readiness } from './readiness.js';

const up = async () => 'PONG';
const down = async () => {
  throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6379'), { code: 'ECONNREFUSED' });
};

test('A gateway is ready while all its stores are there', async () => {
  const health = await new Readiness({ redis: up, postgres: up }).check();
  expect([health.status, Object.keys(health.dependencies)]).toEqual(['ready', ['redis', 'postgres']]);
});

test('A store that is away is named, without its address', async () => {
  const { status, dependencies } = await new Readiness({ redis: down, postgres: up }).check();
  expect([status, dependencies['redis'], dependencies['postgres']?.state]).toEqual([
    'not-ready',
    expect.objectContaining({ state: 'down', error: 'ECONNREFUSED' }),
    'up',
  ]);
});

test('A gateway that stops is not ready any more, whatever its stores do', async () => {
  const readiness = new Readiness({ redis: up });
  expect(readiness.isStopping).toBe(false);
  readiness.stop();
  readiness.stop();
  expect([readiness.isStopping, (await readiness.check()).status]).toEqual([true, 'not-ready']);
});
