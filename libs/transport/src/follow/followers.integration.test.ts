import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { eventually } from '#lib/testing';
import { Followers } from './followers.js';
import { subscriberConnection } from '../redis/connections.js';
import { collected, never, openStore, seqs } from './test-followers.js';

const { accepted, keys, log, redis, store } = openStore();
let subscriber: Redis;
let followers: Followers;

beforeEach(async () => {
  subscriber = subscriberConnection({ REDIS_URL: process.env['REDIS_URL'] ?? '' });
  followers = new Followers(subscriber, { store, log });
  await followers.start(keys, ['profile']);
});
afterEach(() => {
  followers.stop();
  subscriber.disconnect();
});
afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe('the events of a call that has ended', () => {
  test.each([
    ['a minute before its deadline', 60_000],
    ['at its deadline', 0],
    ['two minutes after its deadline', -120_000],
    ['23 hours after its deadline', -23 * 3_600_000],
  ])('are all replayed, once each, %s', async (_name, left) => {
    const { jobId, run, end } = await accepted(Date.now() + left);
    await run(5);
    await end();
    using follower = followers.follow(jobId, false);
    const entries = await collected(follower);
    expect(seqs(entries)).toEqual(range(2, 7));
    expect(entries.at(-1)?.kind).toBe('end');
  });

  test('go on after any place that the reader has reached', async () => {
    const { jobId, run, end } = await accepted();
    await run(8);
    await end();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 9 }), async (after) => {
        using follower = followers.follow(jobId, false);
        expect(seqs(await collected(follower, after))).toEqual(range(Math.max(after, 1) + 1, 10));
      }),
      { numRuns: 20 },
    );
  });

  test('are delivered whole when the reader’s signal fires after they were read', async () => {
    const { jobId, run, end } = await accepted();
    await run(3);
    await end();
    const signal = new AbortController();
    using follower = followers.follow(jobId, false);
    const entries: number[] = [];
    for await (const { seq } of follower.events(0, signal.signal)) {
      signal.abort();
      entries.push(seq);
    }
    expect(entries).toEqual(range(2, 5));
  });

  test('are the same for everyone who reads at once', async () => {
    const { jobId, run, end } = await accepted();
    await run(4);
    await end();
    const all = await Promise.all(
      range(1, 20).map(async () => {
        using follower = followers.follow(jobId, false);
        return seqs(await collected(follower));
      }),
    );
    expect(all).toEqual(range(1, 20).map(() => range(2, 6)));
  });
});

describe('the events of a call that runs', () => {
  test('end for a reader whose place the store has lost, once the call has ended', async () => {
    const { jobId, run, end } = await accepted();
    await run(2);
    using follower = followers.follow(jobId, false);
    const reading = collected(follower, 9);
    await end();
    expect(await reading).toEqual([]);
  });

  test('come in order and once each, however late the reader begins', async () => {
    const { jobId, run, end } = await accepted();
    const readers = range(0, 9).map(async (late) => {
      await eventually(async () => ((await store.read(jobId))?.lastSeq ?? 0) > late * 3, { what: 'progress of the call' });
      using follower = followers.follow(jobId, false);
      return seqs(await collected(follower));
    });
    await run(30);
    await end();
    expect(await Promise.all(readers)).toEqual(readers.map(() => range(2, 32)));
  });

  test('come in order and once each to a reader that is slower than the call', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }), async (pauses) => {
        const { jobId, end } = await accepted();
        const reading = (async () => {
          using follower = followers.follow(jobId, true);
          const read: number[] = [];
          for await (const { seq } of follower.events(0, never)) {
            read.push(seq);
            await sleep(pauses[seq % pauses.length] ?? 0);
          }
          return read;
        })();
        await store.begin(jobId, 0);
        for (const pause of pauses) {
          await store.attempts.output(jobId, 1, ['a', 'b']);
          if (pause > 0) await sleep(pause - 1);
        }
        await end();
        expect(await reading).toEqual(range(2, 2 * pauses.length + 2));
      }),
      { numRuns: 15 },
    );
  });

  test('stop when the signal fires, while the call goes on', async () => {
    const { jobId, run } = await accepted();
    const signal = new AbortController();
    using follower = followers.follow(jobId, false);
    const reading = collected(follower, 1, signal.signal);
    await run(1);
    signal.abort();
    expect((await reading).map(({ kind }) => kind)).not.toContain('end');
  });

  test('end without an end entry when the log is gone', async () => {
    const { jobId, run } = await accepted();
    await run(2);
    await store.forget([jobId]);
    using follower = followers.follow(jobId, false);
    expect(await collected(follower)).toEqual([]);
  });
});

describe('the end of a call', () => {
  test('comes with its notice to one who follows from the start', async () => {
    const { jobId, end } = await accepted();
    using follower = followers.follow(jobId, true);
    const waiting = follower.end(never);
    await end({ executionMs: 12 });
    expect(await waiting).toMatchObject({ state: 'completed', executionMs: 12 });
  });

  test('is read by one who comes later', async () => {
    const { jobId, end } = await accepted();
    await end({ executionMs: 13 });
    using follower = followers.follow(jobId, false);
    expect(await follower.end(never)).toMatchObject({ executionMs: 13 });
  });

  test.each([
    [7_000, 'with its notice'],
    [20_000, 'from the record'],
  ])('of %i characters comes whole, %s', async (length) => {
    const { jobId, end } = await accepted();
    using follower = followers.follow(jobId, true);
    const waiting = follower.end(never);
    const data = { text: 'x'.repeat(length) };
    await end({ outcome: { ok: true, data } });
    expect((await waiting)?.outcome).toEqual({ ok: true, data });
  });

  test('is read where its notice cannot be, as that of a newer version', async () => {
    const { jobId, end } = await accepted();
    using follower = followers.follow(jobId, true);
    const waiting = follower.end(never);
    await redis.publish(keys.notices('profile'), `end ${jobId} {"state":"completed","outcome":{"ok":"partly"}}`);
    await end({ executionMs: 14 });
    expect(await waiting).toMatchObject({ executionMs: 14 });
  });

  test('is null when the signal fires first, also one that has fired before', async () => {
    const { jobId } = await accepted();
    const signal = new AbortController();
    using follower = followers.follow(jobId, false);
    const waiting = follower.end(signal.signal);
    signal.abort();
    expect(await waiting).toBeNull();
    expect(await follower.end(signal.signal)).toBeNull();
  });

  test('is null when the record is gone', async () => {
    const { jobId } = await accepted();
    await store.forget([jobId]);
    using follower = followers.follow(jobId, false);
    expect(await follower.end(never)).toBeNull();
  });

  test('reaches everyone who waits, and nobody who waits for another call', async () => {
    const [one, other] = [await accepted(), await accepted()];
    using first = followers.follow(one.jobId, true);
    using second = followers.follow(one.jobId, true);
    using stranger = followers.follow(other.jobId, true);
    let strangerWoke = false;
    const stop = new AbortController();
    const strangerWaits = stranger.end(stop.signal).then((found) => (strangerWoke = found !== null));
    const waiting = Promise.all([first.end(never), second.end(never)]);
    await one.end();
    expect(await waiting).toMatchObject([{ state: 'completed' }, { state: 'completed' }]);
    stop.abort();
    await strangerWaits;
    expect(strangerWoke).toBe(false);
  });
});

describe('a gateway’s followers', () => {
  test('are counted while they follow', async () => {
    const { jobId } = await accepted();
    {
      using _first = followers.follow(jobId, false);
      using _second = followers.follow(jobId, false);
      expect(followers.size).toBe(2);
    }
    expect(followers.size).toBe(0);
  });

  test('are safe to use once the first subscription is made', async () => {
    const fresh = new Followers(subscriber, { store, log });
    expect(fresh.isSubscribed).toBe(false);
    await fresh.start(keys, ['profile']);
    expect(fresh.isSubscribed).toBe(true);
    fresh.stop();
  });
});
