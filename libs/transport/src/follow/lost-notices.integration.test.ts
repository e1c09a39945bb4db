import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { eventually } from '#lib/testing';
import { Followers } from './followers.js';
import { subscriberConnection } from '../redis/connections.js';
import { collected, never, openStore, seqs } from './test-followers.js';

const { accepted, keys, log, redis, store } = openStore();

type Sources = ConstructorParameters<typeof Followers>[1];

let subscriber: Redis;
let followers: Followers;

beforeEach(() => {
  subscriber = subscriberConnection({ REDIS_URL: process.env['REDIS_URL'] ?? '' });
});
afterEach(() => {
  followers.stop();
  subscriber.disconnect();
  jest.useRealTimers();
});
afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

/** Five seconds of its intervals can pass at once, while connections keep their own time. */
async function startFollowers(readers: Partial<Sources['store'] & Sources['log']> = {}): Promise<void> {
  openFollowers(readers);
  await followers.start(keys, ['profile']);
}

function openFollowers(readers: Partial<Sources['store'] & Sources['log']> = {}): void {
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setTimeout', 'clearTimeout'] });
  followers = new Followers(subscriber, {
    store: {
      read: readers.read ?? store.read.bind(store),
      readPlace: readers.readPlace ?? store.readPlace.bind(store),
      listen: store.listen.bind(store),
      listener: store.listener,
    },
    log: { readAfter: readers.readAfter ?? log.readAfter.bind(log) },
  });
}

describe('when a notice is lost', () => {
  test('the follower reads again after five seconds', async () => {
    await startFollowers();
    const { jobId, end } = await accepted();
    using follower = followers.follow(jobId, true);
    const waiting = follower.end(never);
    await subscriber.unsubscribe(keys.notices('profile', store.listener));
    await end();
    jest.advanceTimersByTime(5_000);
    expect(await waiting).toMatchObject({ state: 'completed' });
  });

  test('a reader reads again after five seconds', async () => {
    await startFollowers();
    const { jobId, run, end } = await accepted();
    using follower = followers.follow(jobId, true);
    const reading = collected(follower);
    await subscriber.unsubscribe(keys.notices('profile', store.listener));
    await run(1);
    await end();
    jest.advanceTimersByTime(5_000);
    expect(seqs(await reading)).toEqual([2, 3]);
  });

  test.each([true, false])('because a process is called before it has subscribed, all read once it has (new: %s)', async (isNew) => {
    openFollowers();
    await eventually(() => subscriber.status === 'ready');
    const { jobId, run, end } = await accepted();
    using waiter = followers.follow(jobId, isNew);
    using reader = followers.follow(jobId, isNew);
    const [waiting, reading] = [waiter.end(never), collected(reader)];
    await run(1);
    await end();
    await followers.start(keys, ['profile']);
    expect(await waiting).toMatchObject({ state: 'completed' });
    expect(seqs(await reading)).toEqual([2, 3]);
  });

  test('a call that nothing happens to is looked at once in five seconds, for all who follow it', async () => {
    const looks: string[] = [];
    const read = jest.fn(store.read.bind(store));
    await startFollowers({ read, readPlace: async (jobId) => (looks.push(jobId), store.readPlace(jobId)) });
    const [{ jobId: one }, { jobId: other }] = [await accepted(), await accepted()];
    const stop = new AbortController();
    using first = followers.follow(one, true);
    using second = followers.follow(one, true);
    const waiting = [first.end(stop.signal), collected(second, 1, stop.signal)];
    jest.advanceTimersByTime(1_000);
    using third = followers.follow(other, true);
    waiting.push(third.end(stop.signal));
    jest.advanceTimersByTime(3_999);
    expect(looks).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(looks).toEqual([one]);
    jest.advanceTimersByTime(1_000);
    expect(looks).toEqual([one, other]);
    jest.advanceTimersByTime(4_000);
    expect(looks).toEqual([one, other, one]);
    await Promise.all([store.readPlace(one), store.readPlace(other)]);
    stop.abort();
    await Promise.all(waiting);
    expect(read).not.toHaveBeenCalled();
  });

  test('the follower reads again once the connection is back', async () => {
    await startFollowers();
    const { jobId, end } = await accepted();
    using follower = followers.follow(jobId, true);
    const waiting = follower.end(never);
    await subscriber.unsubscribe(keys.notices('profile', store.listener));
    await end();
    subscriber.disconnect(true);
    expect(await waiting).toMatchObject({ state: 'completed' });
  });

  test('a read that fails is made again at the next notice', async () => {
    const { jobId, run, end } = await accepted();
    const read = jest.fn(store.read.bind(store)).mockRejectedValueOnce(new Error('Redis is away'));
    const readAfter = jest.fn(log.readAfter.bind(log)).mockRejectedValueOnce(new Error('Redis is away'));
    await startFollowers({ read, readAfter });
    using waiter = followers.follow(jobId, false);
    using reader = followers.follow(jobId, false);
    const [waiting, reading] = [waiter.end(never), collected(reader)];
    await eventually(() => read.mock.calls.length > 0 && readAfter.mock.calls.length > 0);
    await run(1);
    await end();
    expect(await waiting).toMatchObject({ state: 'completed' });
    expect(seqs(await reading)).toEqual([2, 3]);
  });
});
