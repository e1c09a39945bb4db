// Two processes that follow calls, on one Redis.
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { domains, type LoggedEvent } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import type { Follower } from './follower.js';
import { Followers } from './followers.js';
import { subscriberConnection } from '../redis/connections.js';
import { ending, newCaller, request, storeOn } from '../record/test-invocations.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const never = new AbortController().signal;

/** A process with followers, and the notices that it has heard. */
async function startProcess() {
  const { keys, store, log } = storeOn(redis, namespace);
  const subscriber = subscriberConnection({ REDIS_URL: process.env['REDIS_URL'] ?? '' });
  const followers = new Followers(subscriber, { store, log });
  await followers.start(keys, ['profile']);
  const heard: string[] = [];
  subscriber.on('message', (_channel, notice: string) => heard.push(notice.split(' ').slice(0, 2).join(' ')));
  return { keys, store, log, subscriber, followers, heard };
}

let own: Awaited<ReturnType<typeof startProcess>>;
let other: typeof own;

beforeEach(async () => {
  [own, other] = await Promise.all([startProcess(), startProcess()]);
});
afterEach(() => {
  for (const { followers, subscriber } of [own, other]) {
    followers.stop();
    subscriber.disconnect();
  }
});
afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

/** A call that the own process has accepted. */
async function accepted() {
  const { store } = own;
  const asked = request(newCaller());
  const { jobId, head } = asked;
  await store.accept({ ...domains.profile, maxOpen: 100_000, tenantShare: 1 }, asked);
  return {
    jobId,
    begin: async () => void (await store.begin(jobId, 0)),
    output: async (data: number) => void (await store.attempts.output(jobId, 1, [data])),
    end: async () => void (await store.finish({ jobId, head, ending: ending(), attempt: null })),
    listeners: async () => redis.hget(own.keys.invocation(jobId), 'listeners'),
  };
}

const listens = async ({ listeners }: Awaited<ReturnType<typeof accepted>>) =>
  eventually(async () => (await listeners())?.includes(other.store.listener));

async function placesOf(follower: Follower): Promise<readonly number[]> {
  const places: number[] = [];
  for await (const { seq } of follower.events(0, never)) places.push(seq);
  return places;
}

describe('A process', () => {
  test('hears of the calls that it follows, from then on, and of no others', async () => {
    const [followed, foreign] = [await accepted(), await accepted()];
    await followed.begin();
    await followed.output(1);
    await foreign.begin();
    using follower = other.followers.follow(followed.jobId, false);
    const reading = placesOf(follower);
    await listens(followed);
    await foreign.output(1);
    await followed.output(2);
    await foreign.end();
    await followed.end();
    expect(await reading).toEqual([2, 3, 4]);
    await eventually(() => other.heard.length === 2);
    expect(other.heard).toEqual([`new ${followed.jobId}`, `end ${followed.jobId}`]);
  });

  test('hears once of a call, however many follow it there', async () => {
    const call = await accepted();
    const { jobId, end, listeners } = call;
    using first = own.followers.follow(jobId, true);
    using _second = own.followers.follow(jobId, false);
    using third = other.followers.follow(jobId, false);
    using fourth = other.followers.follow(jobId, false);
    const waiting = Promise.all([first, third, fourth].map((follower) => follower.end(never)));
    await listens(call);
    expect(await listeners()).toBe(`${own.store.listener} ${other.store.listener}`);
    await end();
    expect(await waiting).toMatchObject([{ state: 'completed' }, { state: 'completed' }, { state: 'completed' }]);
    expect([own.heard, other.heard]).toEqual([[`end ${jobId}`], [`end ${jobId}`]]);
  });

  test('hears of every call that an older version accepted', async () => {
    const { jobId, end, listeners } = await accepted();
    await redis.hdel(own.keys.invocation(jobId), 'listeners');
    await other.store.listen(jobId);
    using follower = other.followers.follow(jobId, true);
    const waiting = follower.end(never);
    await end();
    expect(await waiting).toMatchObject({ state: 'completed' });
    await eventually(() => own.heard.length === 1);
    expect(await listeners()).toBeNull();
  });

  test('reads only those events of its calls that are too large to be told with their notice', async () => {
    const reads: number[] = [];
    const readAfter = (jobId: string, seq: number) => (reads.push(seq), own.log.readAfter(jobId, seq));
    const { store, subscriber } = own;
    const followers = new Followers(subscriber, { store, log: { readAfter } });
    await followers.start(own.keys, ['profile']);
    const { jobId, begin, end } = await accepted();
    const got: LoggedEvent[] = [];
    const reading = (async () => {
      using follower = followers.follow(jobId, true);
      for await (const entry of follower.events(0, never)) got.push(entry);
    })();
    await begin();
    const texts = ['one', 'x'.repeat(5_000), '[{"a":"\n\\u0000 中"}]'];
    for (const [index, text] of texts.entries()) {
      await store.attempts.output(jobId, 1, [text, text]);
      await eventually(() => got.length === 2 * (index + 1), { what: 'the events of a write' });
    }
    expect(reads).toEqual([3]);
    expect(got).toEqual(await own.log.readAfter(jobId, 0));
    await end();
    await reading;
    expect(got.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6, 7, 8]);
    followers.stop();
  });

  test('of an older version is told of events, and not which they are', async () => {
    const { jobId, begin, output } = await accepted();
    const older = subscriberConnection({ REDIS_URL: process.env['REDIS_URL'] ?? '' });
    const notices: string[] = [];
    older.on('message', (_channel, notice: string) => notices.push(notice));
    await older.subscribe(own.keys.notices('profile', 'older'));
    await redis.hset(own.keys.invocation(jobId), 'listeners', 'older');
    await begin();
    await output(1);
    await eventually(() => notices.length > 0);
    older.disconnect();
    expect(notices).toEqual([`new ${jobId}`]);
  });

  test('reads what an older version tells it of', async () => {
    const { jobId, begin, output, end } = await accepted();
    using follower = own.followers.follow(jobId, true);
    const reading = placesOf(follower);
    // Its workers write, and say no more than that.
    await redis.hset(own.keys.invocation(jobId), 'listeners', 'nobody');
    await begin();
    await output(1);
    await redis.publish(own.keys.notices('profile', own.store.listener), `new ${jobId}`);
    await redis.hset(own.keys.invocation(jobId), 'listeners', own.store.listener);
    await end();
    expect(await reading).toEqual([2, 3]);
  });

  test('leaves nothing behind where the call is gone', async () => {
    const { jobId } = await accepted();
    await redis.del(own.keys.invocation(jobId));
    using follower = other.followers.follow(jobId, false);
    expect(await follower.end(never)).toBeNull();
    expect(await redis.exists(own.keys.invocation(jobId))).toBe(0);
  });
});
