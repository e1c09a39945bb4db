import { expect, test } from '@jest/globals';
import { checkPostgres, checkRedis } from './given-stores.js';
import { pickPort } from './ports.js';
import { startCluster } from './private-cluster.js';
import { startRedis } from './private-stores.js';

test('an unreachable store is named with its variable and without its password', async () => {
  const port = await pickPort();
  const refusals = await Promise.all([
    messageOf(checkRedis('REDIS_URL', { REDIS_URL: `redis://:geheim@127.0.0.1:${port}` })),
    messageOf(checkPostgres('DATABASE_URL', `postgresql://me:geheim@127.0.0.1:${port}/invoq?password=geheim`)),
  ]);
  expect(refusals[0]).toMatch(new RegExp(`^REDIS_URL: 127\\.0\\.0\\.1:${port}.*ECONNREFUSED`));
  expect(refusals[1]).toMatch(new RegExp(`^DATABASE_URL: postgresql://me@127\\.0\\.0\\.1:${port}/invoq.*ECONNREFUSED`));
  expect(refusals.join()).not.toContain('geheim');
});

test('an address of another kind says what it should look like, and does not repeat what it might hold', async () => {
  expect(await messageOf(checkPostgres('DATABASE_URL', 'mysql://me:geheim@host/db'))).toMatch(/^DATABASE_URL .*postgresql:\/\/user/);
});

test('a Redis that keeps what it is given is taken', async () => {
  await using redis = await startRedis();
  await expect(checkRedis('REDIS_URL', { REDIS_URL: redis.url })).resolves.toBeUndefined();
});

test('any node of a cluster that is given as one server is told with the setting that is wrong', async () => {
  await using cluster = await startCluster({ masters: 3 });
  for (const { store } of cluster.nodes)
    expect(await messageOf(checkRedis('REDIS_URL', { REDIS_URL: store.url }))).toMatch(/is a node of a cluster; set REDIS_MODE=cluster/);
  await expect(checkRedis('REDIS_URL', cluster.settings)).resolves.toBeUndefined();
});

function messageOf(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
