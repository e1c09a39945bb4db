import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RedisContents } from './redis-contents.js';
import { newNamespace, redisUrl } from './redis.js';

describe('the contents of Redis in one namespace', () => {
  const namespace = newNamespace();
  const other = newNamespace();
  let mine: RedisContents;
  let theirs: RedisContents;
  const key = (name: string, of = namespace) => `{${of}:profile}:profile:${name}`;

  beforeAll(async () => {
    mine = new RedisContents(redisUrl(), namespace);
    theirs = new RedisContents(redisUrl(), other);
    await mine.redis.set(key('string'), 'canary-string');
    await mine.redis.hset(key('hash'), { field: 'canary-hash' });
    await mine.redis.rpush(key('list'), 'canary-list');
    await mine.redis.sadd(key('set'), 'canary-set');
    await mine.redis.zadd(key('zset'), 1, 'canary-zset');
    await mine.redis.xadd(key('stream'), '*', 'field', 'canary-stream');
    await theirs.redis.set(key('string', other), 'canary-other');
  });
  afterAll(async () => {
    for (const one of [mine, theirs]) {
      await one.clear();
      one[Symbol.dispose]();
    }
  });

  test('are its keys alone', async () => {
    expect((await mine.keys()).toSorted()).toEqual(['hash', 'list', 'set', 'stream', 'string', 'zset'].map((name) => key(name)));
  });

  test.each(['string', 'hash', 'list', 'set', 'zset', 'stream'])('as one text hold what is in a %s', async (type) => {
    const everything = await mine.everything();
    expect(everything).toContain(`canary-${type}`);
    expect(everything).not.toContain('canary-other');
  });

  test('lose the locks of dead workers, and nothing else', async () => {
    await mine.redis.set(key('inv_1:lock'), 'token', 'PX', 60_000);
    await mine.redis.set(key('stalled-check'), '1', 'PX', 60_000);
    await theirs.redis.set(key('inv_2:lock', other), 'token', 'PX', 60_000);
    const before = await mine.keys();
    await mine.expireLocks();
    const after = await mine.keys();
    expect(before.filter((name) => !after.includes(name)).toSorted()).toEqual([key('inv_1:lock'), key('stalled-check')]);
    expect(await theirs.keys()).toContain(key('inv_2:lock', other));
  });

  test('are gone after they are cleared, and those of others are not', async () => {
    for (let index = 0; index < 1_200; index++) void mine.redis.set(key(`many-${index}`), 'x');
    await mine.clear();
    expect(await mine.keys()).toEqual([]);
    expect(await theirs.keys()).not.toEqual([]);
  });
});
