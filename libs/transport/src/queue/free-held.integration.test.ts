// The jobs of processes that have ended come back as by BullMQ's own check for stalled jobs, only sooner.
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newNamespace, testRedis } from '#lib/testing';
import { keyspaceOf } from '../record/test-keyspace.js';
import { freeHeld } from './free-held.js';
import { pathsOn, type Paths } from './test-queue-paths.js';
import { partitionOf } from '../redis/partition.js';

const main = newNamespace();
const redis = testRedis(main);

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

const mix = { enqueues: 'invoq', works: 'invoq' } as const;
const partition = partitionOf('profile');
const ended = ['gone-1', 'gone-2'];

async function onQueue(work: (on: Paths, namespace: string) => Promise<void>): Promise<void> {
  const namespace = newNamespace();
  const own = testRedis(namespace);
  try {
    await using on = pathsOn(own, namespace, mix);
    await work(on, namespace);
  } finally {
    await own[Symbol.asyncDispose]();
  }
}

/** All keys. A check finds its jobs in the order of a set, which is any. */
async function contentsOf(namespace: string, jobIds: readonly string[]): Promise<unknown> {
  const all = await keyspaceOf(redis, namespace, jobIds);
  const wait = Object.keys(all).find((key) => key.endsWith(':wait'));
  return wait === undefined
    ? all
    : {
        ...all,
        [wait]: JSON.stringify(all[wait])
          .split(/[",[\]]+/)
          .toSorted(),
      };
}

const lockOf = async ({ keys }: Paths, jobId: string) => redis.get(`${keys.job(jobId)}:lock`);

interface Situation {
  /** Of each job, the token of who has taken it. */
  readonly tokens: readonly string[];
  /** How many of them a check for stalled jobs has seen. */
  readonly seen: number;
  /** How many more wait. */
  readonly waiting: number;
  /** The jobs that were lost once before. */
  readonly lostBefore: readonly number[];
  /** The jobs that end, with their worker's token, before it dies. */
  readonly ends: readonly number[];
  readonly isPaused: boolean;
}

const situations: fc.Arbitrary<Situation> = fc.record({
  tokens: fc.array(fc.constantFrom('gone-1.a', 'gone-1.b', 'gone-2.a', 'alive.a', 'gone-10.a', 'gone-1', 'plain'), { maxLength: 8 }),
  seen: fc.nat(8),
  waiting: fc.nat(2),
  lostBefore: fc.array(fc.nat(7), { maxLength: 3 }),
  ends: fc.array(fc.nat(7), { maxLength: 3 }),
  isPaused: fc.boolean(),
});

/** @returns the ids of the jobs that processes hold which have ended */
async function arrange(on: Paths, { tokens, seen, waiting, lostBefore, ends, isPaused }: Situation): Promise<readonly string[]> {
  const held: string[] = [];
  for (const [index, token] of tokens.entries()) {
    if (index === seen) await on.checkStalled();
    const jobId = await on.accept();
    const job = await on.take(token);
    if (!job) throw new Error('There is no such job');
    if (lostBefore.includes(index)) await redis.hset(on.keys.job(jobId), 'stc', 1);
    if (ends.includes(index)) await on.complete(job, { token });
    else if (ended.some((name) => token.startsWith(`${name}.`))) held.push(jobId);
  }
  for (let n = 0; n < waiting; n++) await on.accept();
  if (isPaused) await on.queue.pause();
  return held;
}

test('what becomes of them is what becomes of stalled jobs, and nobody else loses one', async () => {
  await fc.assert(
    fc.asyncProperty(situations, async (situation) => {
      const left: unknown[] = [];
      await onQueue(async (on, namespace) => {
        const held = await arrange(on, situation);
        // A check a moment before does not hold it up.
        await on.checkStalled();
        expect([...(await on.freeHeldBy(...ended))].toSorted()).toEqual([...held].toSorted());
        left.push(await contentsOf(namespace, on.jobIds));
        // Once more, and by another worker, changes nothing.
        expect(await on.freeHeldBy(...ended)).toEqual([]);
        left.push(await contentsOf(namespace, on.jobIds));
      });
      await onQueue(async (on, namespace) => {
        const held = await arrange(on, situation);
        await on.checkStalled();
        for (const jobId of held) await on.loseLock(jobId);
        await on.checkStalled();
        left.push(await contentsOf(namespace, on.jobIds));
      });
      expect(left[0]).toEqual(left[2]);
      expect(left[1]).toEqual(left[2]);
    }),
    { numRuns: 25 },
  );
});

test('a job that no check has seen is found by the next one too', async () => {
  await onQueue(async (on) => {
    const jobId = await on.accept();
    await on.take('gone-1.a');
    expect(await on.freeHeldBy('gone-1')).toEqual([jobId]);
    expect(await on.queues.stateOf(jobId)).toBe('waiting');
  });
});

test('a job whose lock was over before is found at once too, whoever held it; one that runs elsewhere is left alone', async () => {
  await onQueue(async (on) => {
    const [ofGone, ofPaused, running] = [await on.accept(), await on.accept(), await on.accept()];
    for (const token of ['gone-1.a', 'paused.a', 'alive.a']) await on.take(token);
    for (const jobId of [ofGone, ofPaused]) await on.loseLock(jobId);
    expect([...(await on.freeHeldBy('gone-1'))].toSorted()).toEqual([ofGone, ofPaused].toSorted());
    expect(await lockOf(on, running)).toBe('alive.a');
  });
});

test('a check of somebody else comes between, and each is found once', async () => {
  await onQueue(async (on) => {
    const jobIds = [await on.accept(), await on.accept()];
    await on.take('gone-1.a');
    await on.take('gone-1.a');
    const found = await Promise.all([on.freeHeldBy('gone-1'), on.checkStalled(), on.freeHeldBy('gone-1', 'gone-2'), on.checkStalled()]);
    expect(found.flat().toSorted()).toEqual(jobIds.toSorted());
    for (const jobId of jobIds) expect(await redis.hget(on.keys.job(jobId), 'stc')).toBe('1');
  });
});

test('one that another worker has taken meanwhile stays with it', async () => {
  await onQueue(async (on) => {
    const jobId = await on.accept();
    await on.take('gone-1.a');
    await on.freeHeldBy('gone-1');
    expect((await on.take('alive.a'))?.id).toBe(jobId);
    expect(await on.freeHeldBy('gone-1')).toEqual([]);
    expect(await lockOf(on, jobId)).toBe('alive.a');
  });
});

test('the name of one that lives costs it the job, as a pause does: its late end is dropped, and the call ends once', async () => {
  await onQueue(async (on) => {
    await on.accept();
    const late = await on.take('alive.a');
    await on.freeHeldBy('alive');
    const again = await on.take('alive.b');
    if (!late || !again) throw new Error('There is no such job');
    await on.complete(again, { token: 'alive.b' });
    await on.complete(late, { token: 'alive.a', attempt: 1 });
    expect(on.ended).toEqual(['ended', 'ended-before']);
    expect(await on.queues.stateOf(late.id ?? '')).toBe('completed');
  });
});

test('an offer of one that has ended is over; that of another stands', async () => {
  await onQueue(async (on) => {
    const offer = on.keys.offer(partition);
    for (const [token, stands] of [
      ['gone-1.a', 0],
      ['alive.a', 1],
      ['plain', 1],
    ] as const) {
      await redis.set(offer, `${token} ${token} 5000 1 2`);
      expect(await freeHeld(redis, on.keys, { partition, ended })).toBe(0);
      expect(await redis.exists(offer)).toBe(stands);
    }
  });
});

test('nothing is freed in another partition', async () => {
  await onQueue(async (on) => {
    const jobId = await on.accept();
    await on.take('gone-1.a');
    expect(await freeHeld(redis, on.keys, { partition: partitionOf('profile', 1), ended })).toBe(0);
    expect(await lockOf(on, jobId)).toBe('gone-1.a');
  });
});
