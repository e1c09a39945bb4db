import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eventually, newNamespace, testFiles, testRedis } from '#lib/testing';
import { InvocationStore, partitionOf, type Partition } from '#lib/transport';
import { Reaper } from './reaper.js';
import { jobsOn, readableLog, sampleTool } from './test-jobs.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { accept, enqueue, keys, queues, sealer, store } = jobsOn(redis, namespace);
const profile = partitionOf('profile');
const queue = queues.queue(profile);
const orphanMs = 15_000;

beforeEach(async () => {
  await redis.del(keys.open(profile), keys.unqueued(profile));
  await queue.obliterate({ force: true });
});
afterAll(async () => {
  await queues.close();
  await redis[Symbol.asyncDispose]();
});

/** A reaper that has never swept, with what it ended. */
type Parts = ConstructorParameters<typeof Reaper>[0];
function newReaper({ ends, ...rest }: Partial<Omit<Parts, 'ends'>> & { readonly ends?: Partial<Parts['ends']> } = {}) {
  const expired: string[] = [];
  const abandoned: string[] = [];
  const { log, lines } = readableLog();
  const reaper = new Reaper({
    partitions: () => [profile],
    store,
    files: testFiles(namespace),
    queues,
    find: () => sampleTool(),
    ends: {
      expire: async (jobId) => void expired.push(jobId),
      endUndecided: async () => undefined,
      expireAtRest: async () => undefined,
      abandon: async (jobId) => void abandoned.push(jobId),
      ...ends,
    },
    log,
    ...rest,
  });
  return { reaper, expired, abandoned, lines };
}

describe('a sweep', () => {
  test('ends what has reached its deadline, earliest first, and nothing else', async () => {
    const now = Date.now();
    const [late, atIt] = [await accept({ deadline: now - 5 }), await accept({ deadline: now })];
    await accept({ deadline: now + 1 });
    const { reaper, expired } = newReaper();
    await reaper.sweep(profile, now);
    expect(expired).toEqual([late, atIt]);
  });

  test.each([
    [orphanMs - 1, false],
    [orphanMs, true],
  ])('%i ms after its acceptance a call that nobody enqueued is enqueued: %s', async (age, isEnqueued) => {
    const jobId = await accept();
    const createdAt = (await store.read(jobId))?.head.createdAt ?? 0;
    const { reaper, lines } = newReaper();
    await reaper.sweep(profile, createdAt + age);
    expect(await queues.stateOf(jobId)).toBe(isEnqueued ? 'waiting' : 'unknown');
    expect(lines.some(({ event }) => event === 'job-requeued')).toBe(isEnqueued);
  });

  test('enqueues it once, however many workers sweep', async () => {
    await accept();
    const now = Date.now() + orphanMs + 1_000;
    await Promise.all([newReaper(), newReaper(), newReaper()].map(({ reaper }) => reaper.sweep(profile, now)));
    expect(await queue.getWaitingCount()).toBe(1);
  });

  test('leaves alone what waits in the queue', async () => {
    const jobId = await accept();
    await enqueue(jobId);
    const { reaper, abandoned, expired } = newReaper();
    await reaper.sweep(profile, Date.now() + orphanMs + 1_000);
    expect([abandoned, expired, await queues.stateOf(jobId)]).toEqual([[], [], 'waiting']);
  });

  test('ends what the queue has failed without its end being written', async () => {
    const jobId = await accept();
    await enqueue(jobId);
    const job = await queue.getJob(jobId);
    await redis.zadd(`${keys.queuePrefix(profile)}:profile:failed`, Date.now(), jobId);
    await redis.lrem(`${keys.queuePrefix(profile)}:profile:wait`, 0, jobId);
    expect(await job?.getState()).toBe('failed');
    const { reaper, abandoned } = newReaper();
    await reaper.sweep(profile, Date.now() + orphanMs + 1_000);
    expect(abandoned).toEqual([jobId]);
  });

  test.each(['completed', 'failed'])('forgets jobs that have %s after 7 days, and no younger ones', async (state) => {
    const dayMs = 86_400_000;
    const [old, young, open] = [await accept(), await accept(), await accept()];
    for (const jobId of [old, young, open]) await enqueue(jobId);
    for (const [jobId, at] of [
      [old, Date.now() - 7 * dayMs - 1],
      [young, Date.now() - 7 * dayMs + 600_000],
    ] as const) {
      await redis.lrem(keys.queue(profile, 'wait'), 0, jobId);
      await redis.zadd(keys.queue(profile, state), at, jobId);
      await redis.hset(keys.job(jobId), 'finishedOn', at);
    }
    await Promise.all([newReaper(), newReaper()].map(({ reaper }) => reaper.sweep(profile)));
    const states = await Promise.all([old, young, open].map((jobId) => queues.stateOf(jobId)));
    expect(states).toEqual(['unknown', state, 'waiting']);
    expect(await redis.exists(keys.job(old))).toBe(0);
  });

  test('takes an entry off the open list whose record is gone', async () => {
    const jobId = await accept();
    await store.forget([jobId]);
    await newReaper().reaper.sweep(profile);
    expect(await store.open.count(profile)).toBe(0);
  });

  test('finds at once what was accepted without its job and never enqueued, however much is open', async () => {
    const jobId = await accept({ deadline: Date.now() + 3_600_000 });
    await redis.zadd(keys.open(profile), ...waiting(5_000).flat());
    const checked: string[] = [];
    const stateOf = async (id: string) => (checked.push(id), 'waiting');
    await newReaper({ queues: { stateOf, add: async () => undefined, forgetEnded: async () => undefined } }).reaper.sweep(
      profile,
      Date.now() + orphanMs + 1_000,
    );
    expect(checked).toEqual([jobId]);
    expect(await store.open.unqueued(profile, Date.now(), 10)).toEqual([]);
  });

  test('finds what an older version accepted and never enqueued, by looking at some of the open calls each time', async () => {
    const others = waiting(1_500);
    await redis.zadd(keys.open(profile), ...others.flat());
    await Promise.all(others.map(([, id]) => redis.hset(keys.job(id), 'timestamp', '1')));
    const jobId = await accept({ deadline: Date.now() + 3_600_000 });
    // The older version does not note it.
    await store.open.enqueued(jobId);
    const { reaper } = newReaper();
    const found: boolean[] = [];
    for (let sweep = 0; sweep < 2; sweep++) {
      await reaper.sweep(profile, Date.now() + orphanMs + 1_000);
      found.push((await queues.stateOf(jobId)) === 'waiting');
    }
    expect(found).toEqual([false, true]);
    await redis.unlink(...others.map(([, id]) => keys.job(id)));
  });

  test('ends the others, and fails, where one cannot be ended', async () => {
    const [first, second] = [await accept({ deadline: Date.now() - 5 }), await accept({ deadline: Date.now() - 4 })];
    const ended: string[] = [];
    const expire = async (jobId: string) => {
      if (jobId === first) throw new Error('the file store is away');
      ended.push(jobId);
    };
    await expect(newReaper({ ends: { expire } }).reaper.sweep(profile)).rejects.toThrow('the file store is away');
    expect(ended).toEqual([second]);
  });

  test('does the rest where the calls past their deadline cannot be ended', async () => {
    const orphan = await accept();
    await accept({ deadline: Date.now() - 5 });
    const { reaper } = newReaper({ ends: { expire: () => Promise.reject(new Error('the record cannot be read')) } });
    await expect(reaper.sweep(profile, Date.now() + orphanMs + 1_000)).rejects.toThrow('the record cannot be read');
    expect(await queues.stateOf(orphan)).toBe('waiting');
  });

  test('takes more off the list than it looks at in one go, one sweep after the other', async () => {
    await redis.zadd(keys.open(profile), ...waiting(1_001).flat());
    const { reaper } = newReaper();
    // What is taken off moves the rest, so the second one may begin behind it.
    for (let sweep = 0; sweep < 3; sweep++) await reaper.sweep(profile);
    expect(await store.open.count(profile)).toBe(0);
  });
});

describe('a reaper', () => {
  const { log } = readableLog();
  /** A store that says which partitions are swept; what happens in the sweep is the test's. */
  function reaperOf(onSweep: (partition: Partition) => Promise<void>, partitions: readonly Partition[] = [profile]) {
    const sweepAlone = async ({ partition }: { partition: Partition }) => (await onSweep(partition), true);
    const open = Object.assign(Object.create(store.open), { sweepAlone });
    return newReaper({ partitions: () => partitions, store: { open, resting: store.resting, read: async () => null }, log }).reaper;
  }
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] }));
  afterEach(() => void jest.useRealTimers());

  test('sweeps the other partitions too where one cannot be swept, and goes on', async () => {
    const swept: string[] = [];
    const others = ['profile', 'profile~1'] as Partition[];
    const reaper = reaperOf(async (partition) => {
      swept.push(partition);
      if (partition === 'profile') throw new Error('its slot is away');
    }, others);
    reaper.start();
    await jest.advanceTimersByTimeAsync(6_001);
    expect(swept).toEqual(['profile', 'profile~1']);
    await jest.advanceTimersByTimeAsync(6_001);
    expect(swept.length).toBeGreaterThanOrEqual(4);
    reaper.stop();
  });

  test('that was stopped in the middle of a sweep does not sweep again', async () => {
    const { promise: hangs, resolve: goesOn } = Promise.withResolvers<void>();
    let sweeps = 0;
    const reaper = reaperOf(async () => {
      sweeps += 1;
      await hangs;
    });
    reaper.start();
    await jest.advanceTimersByTimeAsync(6_001);
    reaper.stop();
    goesOn();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(sweeps).toBe(1);
  });
});

describe('of several workers', () => {
  beforeEach(async () => void (await redis.del(keys.sweeper(profile, 'overdue'))));

  test('one sweeps at a time, and nobody does for a while after it', async () => {
    const { promise: hangs, resolve: goesOn } = Promise.withResolvers<void>();
    const other = new InvocationStore({ redis, keys, sealer, files: testFiles(namespace) });
    const first = store.open.sweepAlone({ partition: profile, what: 'overdue', restMs: 60_000 }, async () => hangs);
    await eventually(async () => (await redis.exists(keys.sweeper(profile, 'overdue'))) === 1, { what: 'the lease' });
    expect(await other.open.sweepAlone({ partition: profile, what: 'overdue', restMs: 60_000 }, async () => undefined)).toBe(false);
    // Another domain is none of its business.
    expect(await other.open.sweepAlone({ partition: profile, what: 'history', restMs: 1 }, async () => undefined)).toBe(true);
    expect(await other.open.sweepAlone({ partition: partitionOf('agent'), what: 'overdue', restMs: 60_000 }, async () => undefined)).toBe(
      true,
    );
    goesOn();
    expect(await first).toBe(true);
    expect(await other.open.sweepAlone({ partition: profile, what: 'overdue', restMs: 60_000 }, async () => undefined)).toBe(false);
    expect(await redis.pttl(keys.sweeper(profile, 'overdue'))).toBeGreaterThan(50_000);
  });

  test('another one sweeps once the sweeper is not heard of, which does not shorten the turn of its successor when it comes back', async () => {
    const other = new InvocationStore({ redis, keys, sealer, files: testFiles(namespace) });
    await store.open.sweepAlone({ partition: profile, what: 'overdue', restMs: 1 }, async () => {
      await redis.del(keys.sweeper(profile, 'overdue'));
      void other.open.sweepAlone({ partition: profile, what: 'overdue', restMs: 1 }, async () => new Promise(() => undefined));
      await eventually(async () => (await redis.exists(keys.sweeper(profile, 'overdue'))) === 1, { what: 'the other lease' });
    });
    expect(await redis.pttl(keys.sweeper(profile, 'overdue'))).toBeGreaterThan(1_000);
  });

  test('the next one sweeps after a sweep that failed', async () => {
    await expect(
      store.open.sweepAlone({ partition: profile, what: 'overdue', restMs: 1 }, () => Promise.reject(new Error('away'))),
    ).rejects.toThrow('away');
    await eventually(async () => (await redis.exists(keys.sweeper(profile, 'overdue'))) === 0, { what: 'the end of the lease' });
    expect(await store.open.sweepAlone({ partition: profile, what: 'overdue', restMs: 1 }, async () => undefined)).toBe(true);
  });
});

/** Open entries of calls that nobody knows, with a deadline in a minute. */
function waiting(count: number): [number, string][] {
  return Array.from({ length: count }, (_, n) => [Date.now() + 60_000 + n, `inv_profile_${n.toString(16).padStart(32, '0')}`]);
}
