// Two processes that follow calls, on one Redis.
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { domains } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { Followers, type Follower } from './followers.js';
import { subscriberConnection } from './redis.js';
import { ending, newCaller, request, storeOn } from './test-invocations.js';

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
  return { keys, store, subscriber, followers, heard };
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
    output: async (data: number) => void (await store.output(jobId, 1, [data])),
    end: async () => void (await store.finish({ jobId, head, ending: ending(), run: null })),
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

  test('leaves nothing behind where the call is gone', async () => {
    const { jobId } = await accepted();
    await redis.del(own.keys.invocation(jobId));
    using follower = other.followers.follow(jobId, false);
    expect(await follower.end(never)).toBeNull();
    expect(await redis.exists(own.keys.invocation(jobId))).toBe(0);
  });
});
