import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { newNamespace, testRedis } from '#lib/testing';
import { BusyDomains, idleMs } from './busy-domains.js';
import { RedisKeys } from '../redis/redis-keys.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
let busy: BusyDomains;
beforeEach(() => void (busy = new BusyDomains(redis, new RedisKeys(namespace), Date.now)));
afterAll(async () => redis[Symbol.asyncDispose]());

test('a domain is busy from its first call until it is idle for minutes', async () => {
  expect(busy.isFresh('own-1')).toBe(false);
  await busy.note('own-1');
  expect([busy.isFresh('own-1'), await busy.list()]).toEqual([true, ['own-1']]);
  expect([await busy.forget('own-1', Date.now()), await busy.list()]).toEqual([false, ['own-1']]);
  expect([await busy.forget('own-1', Date.now() + idleMs + 1_000), await busy.list()]).toEqual([true, []]);
});
