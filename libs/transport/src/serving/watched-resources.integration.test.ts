import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newNamespace, testRedis } from '#lib/testing';
import { Leases } from '../record/leases.js';
import { RedisKeys } from '../redis/redis-keys.js';
import { mostWatched, wantedMs, WatchedResources } from './watched-resources.js';

const namespace = newNamespace();
const keys = new RedisKeys(namespace);
let redis: ReturnType<typeof testRedis>;
beforeAll(() => void (redis = testRedis(namespace)));
afterAll(async () => redis[Symbol.asyncDispose]());

const resource = (uri: string, tenant: string | null = null) => ({ tenant, server: 'docs', uri });

test('what tenants listen for is found by server, each once, until its end', async () => {
  const watched = new WatchedResources(redis, keys);
  expect(await watched.byServer()).toEqual(new Map());
  await watched.want('acme', [resource('file:///a'), resource('file:///own', 'acme')]);
  await watched.want('bolt', [resource('file:///a'), resource('file:///b')]);
  const found = await watched.byServer();
  expect(found.get('docs')?.uris.toSorted()).toEqual(['file:///a', 'file:///b']);
  expect(found.get('acme/docs')).toEqual({ tenant: 'acme', server: 'docs', account: null, uris: ['file:///own'] });
  const ended = Date.now() - 1;
  for (const tenant of ['acme', 'bolt'])
    for (const member of await redis.zrangebyscore(keys.watchedResources(tenant), '-inf', '+inf'))
      await redis.zadd(keys.watchedResources(tenant), ended, member);
  expect(await watched.byServer()).toEqual(new Map());
  expect(await redis.pttl(keys.watchedResources('acme'))).toBeLessThanOrEqual(wantedMs);
});

test('with accounts each owner is apart, and belongs to the tenant that wants it', async () => {
  const watched = new WatchedResources(redis, keys);
  const owned = (owner: string) => ({ ...resource('mail:///inbox'), server: 'mail', owner });
  await watched.want('acme', [owned('acme/ann'), owned('acme/bob'), { ...resource('mail:///inbox'), server: 'mail' }]);
  await watched.want('bolt', [owned('bolt/ann')]);
  const found = await watched.byServer();
  const accounts = [...found].flatMap(([key, { server, account }]) => (server === 'mail' ? [[key, account]] : []));
  expect(Object.fromEntries(accounts)).toEqual({
    'mail acme/ann': { tenantId: 'acme', owner: 'acme/ann' },
    'mail acme/bob': { tenantId: 'acme', owner: 'acme/bob' },
    'mail bolt/ann': { tenantId: 'bolt', owner: 'bolt/ann' },
    mail: null,
  });
});

test('a tenant has room for so many, and one that is full keeps what it has and the room of others', async () => {
  const watched = new WatchedResources(redis, keys);
  const all = Array.from({ length: mostWatched }, (_, index) => resource(`file:///${index}`));
  expect(await watched.want('full', all)).toEqual([]);
  expect(await watched.want('full', [resource('file:///0'), resource('file:///more')])).toEqual([resource('file:///more')]);
  expect(await watched.want('other', [resource('file:///more')])).toEqual([]);
  expect(await redis.zcard(keys.watchedResources('full'))).toBe(mostWatched);
});

test('one worker holds the subscriptions of a server, and another one once it does not', async () => {
  const watched = new WatchedResources(redis, keys);
  const [four, ...workers] = Array.from({ length: 4 }, () => new Leases(redis, null));
  if (!four) throw new Error('no worker');
  const held = await Promise.all(workers.map(async (worker) => watched.hold('docs', worker)));
  expect(held.filter(Boolean)).toHaveLength(1);
  const holder = workers[held.indexOf(true)] ?? four;
  expect(await watched.hold('docs', holder)).toBe(true);
  expect(await watched.hold('acme/docs', four)).toBe(true);
  await redis.del(keys.watcherOf('docs'));
  expect(await watched.hold('docs', four)).toBe(true);
  expect(await watched.hold('docs', holder)).toBe(false);
});
