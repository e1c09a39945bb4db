import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Caller } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { RedisKeys, WatchedResources } from '#lib/transport';
import { ResourceWatch, type Listening } from './resource-watch.js';

const namespace = newNamespace();
const keys = new RedisKeys(namespace);
let redis: ReturnType<typeof testRedis>;
beforeAll(() => void (redis = testRedis(namespace)));
afterAll(async () => redis[Symbol.asyncDispose]());

const uri = 'outside://mail/mail://inbox';

function listening(userId: string): Listening {
  const caller: Caller = { tenantId: 'acme', userId, tier: 'free', scopes: ['tools:read'], credentialId: `key_${userId}` };
  const resource = { tenant: 'acme', server: 'mail', uri: 'mail://inbox', owner: `acme/${userId}` };
  return { caller, session: null, uris: [uri], resourceAt: () => resource };
}

test('users of one tenant who listen at the same address, each with their own account, all go on listening', async () => {
  const watched = new WatchedResources(redis, keys);
  const warn = jest.fn();
  const watch = new ResourceWatch({ redis, keys, log: { warn } }, watched, 100);
  const users = ['ann', 'bob', 'cem'];
  const ends = users.map((userId) => watch.listen(listening(userId)));
  const owners = async () => [...(await watched.byServer()).values()].flatMap(({ account }) => account?.owner ?? []).toSorted();
  await eventually(async () => (await owners()).length === users.length);
  // As their wishes end that were said when they began.
  await redis.del(keys.watchedResources('acme'));
  await eventually(async () => (await owners()).length > 0);
  expect(await owners()).toEqual(users.map((userId) => `acme/${userId}`));
  for (const end of ends) end[Symbol.dispose]();
  await watch.stop();
  expect(warn).not.toHaveBeenCalled();
});
