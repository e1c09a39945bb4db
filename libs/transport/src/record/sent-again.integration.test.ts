import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { domains } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { InvocationStore } from './invocation-store.js';
import { newJobId, partitionOf } from '../redis/partition.js';
import { turn } from '../scripts/turn.js';
import { queuedJob } from './queued-job.js';
import { ToolQueues } from '../queue/tool-queue.js';
import { ending, newCaller, request, storeOn } from './test-invocations.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, sealer, files, store, log } = storeOn(redis, namespace);
const domain = domains.profile;

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

describe('over a connection that breaks before the replies', () => {
  /** Every script runs and is sent again: at once, or after all others of the same moment. */
  function breaking(together: boolean): InvocationStore {
    const evalsha = async (sha: string, keyCount: number, ...rest: (string | number)[]): Promise<unknown> => {
      await redis.evalsha(sha, keyCount, ...rest);
      if (together) await new Promise((resolve) => setTimeout(resolve, 20));
      return redis.evalsha(sha, keyCount, ...rest);
    };
    const twice = new Proxy(redis, { get: (target, name) => (name === 'evalsha' ? evalsha : Reflect.get(target, name)) });
    return new InvocationStore({ redis: twice, keys, sealer, files });
  }
  const progressOf = (progress: number) => ({ kind: 'progress', progress, message: '' }) as const;

  test('a call that was let in is let in, with a key of its own and in a flight too', async () => {
    const caller = newCaller();
    for (const asked of [
      request(caller),
      request(caller, { idempotencyKey: 'again' }),
      request(caller, { head: { flightKey: `again-${caller.tenantId}` } }),
    ])
      expect(await breaking(false).accept(domain, asked)).toMatchObject({ kind: 'created', jobId: asked.jobId });
  });

  beforeAll(async () => {
    // Redis learns a script when it is first run; what comes meanwhile may pass it by.
    const { jobId } = request(newCaller());
    await store.attempts.progress(jobId, 1, progressOf(0));
    await store.attempts.output(jobId, 1, ['a']);
  });

  test.each([false, true])('what a run tells is told once, and its end is its own (all at once: %s)', async (together) => {
    const asked = request(newCaller());
    const { jobId, head } = asked;
    const unsure = breaking(together);
    await unsure.accept(domain, asked);
    const begun = await unsure.begin(jobId, Date.now());
    const attempt = begun.kind === 'begun' ? begun.attempt : 0;
    const written = await Promise.all([
      unsure.attempts.progress(jobId, attempt, progressOf(10)),
      unsure.attempts.output(jobId, attempt, ['a', 'b']),
      unsure.attempts.output(jobId, attempt, ['c']),
      unsure.attempts.progress(jobId, attempt, progressOf(20)),
    ]);
    expect(written).toEqual([true, true, true, true]);
    expect(await unsure.finish({ jobId, head, ending: ending(), attempt })).toBe('ended');
    expect(await unsure.finish({ jobId, head, ending: ending(), attempt })).toBe('ended-before');
    expect(await log.readAfter(jobId, 1)).toMatchObject([
      { progress: 10 },
      { kind: 'output', data: 'a' },
      { kind: 'output', data: 'b' },
      { kind: 'output', data: 'c' },
      { progress: 20 },
      { kind: 'end' },
    ]);
  });

  test('a retry is spent once, and the next run goes on', async () => {
    const asked = request(newCaller());
    const unsure = breaking(false);
    await store.accept(domain, asked);
    await store.begin(asked.jobId, Date.now());
    const error = { code: 'NETWORK_ERROR', message: 'm' } as const;
    const event = { kind: 'retry', failure: 'network', retry: 1, maxRetries: 3, delayMs: 200, error } as const;
    expect(await unsure.attempts.retry(asked.jobId, 1, { event, spent: { network: 1 } })).toBe(true);
    expect(await store.begin(asked.jobId, Date.now())).toMatchObject({ kind: 'begun', attempt: 2, spent: { network: 1 } });
    expect(await unsure.attempts.progress(asked.jobId, 2, progressOf(5))).toBe(true);
    expect(await log.readAfter(asked.jobId, 1)).toMatchObject([{ kind: 'retry' }, { progress: 5 }]);
  });

  describe('a turn that is sent again', () => {
    /** Each turn is done as often as that before a reply arrives. */
    function losing(times: number): InvocationStore {
      const evalsha = async (sha: string, keyCount: number, ...rest: (string | number)[]): Promise<unknown> => {
        for (let n = 0; sha === turn.sha && n < times; n++) await redis.evalsha(sha, keyCount, ...rest);
        return redis.evalsha(sha, keyCount, ...rest);
      };
      const unsure = new Proxy(redis, { get: (target, name) => (name === 'evalsha' ? evalsha : Reflect.get(target, name)) });
      return new InvocationStore({ redis: unsure, keys, sealer, files });
    }
    const partition = partitionOf('profile', 1);
    /** Each test has workers of its own. */
    let tests = 0;
    const taker = (name: string, want: number) => ({ workerId: `${name}-${tests}`, token: name, lockMs: 5_000, want });
    const queues = new ToolQueues(redis, keys);

    afterEach(async () => {
      tests += 1;
      await queues.queue(partition).obliterate({ force: true });
    });
    afterAll(async () => queues.close());

    async function enqueued(priority: number): Promise<string> {
      const asked = request(newCaller(), { jobId: newJobId(partition) });
      await store.accept(domain, { ...asked, job: { ...queuedJob({ ...asked, contract: undefined }), priority } });
      return asked.jobId;
    }

    async function takenBy(own: InvocationStore, workerId: string, want: number) {
      const { taken } = await own.turn(partition, [], taker(workerId, want));
      if (taken.kind !== 'jobs') throw new Error(taken.kind);
      return taken.jobs;
    }

    test.each([
      [0, 1],
      [0, 3],
      [3, 1],
      [3, 3],
    ])('takes the same jobs, and no others (priority %i, sent %i times more)', async (priority, times) => {
      const ids = [await enqueued(priority), await enqueued(priority), await enqueued(priority)];
      const jobs = await takenBy(losing(times), 'one', 2);
      expect(jobs).toMatchObject([
        { jobId: ids[0], begun: { kind: 'begun', attempt: 1 } },
        { jobId: ids[1], begun: { kind: 'begun', attempt: 1 } },
      ]);
      expect(await store.read(ids[2] ?? '')).toMatchObject({ state: 'waiting', attempts: 0 });
      expect(await takenBy(store, 'two', 2)).toMatchObject([{ jobId: ids[2], begun: { kind: 'begun', attempt: 1 } }]);
      expect(await takenBy(store, 'three', 2)).toEqual([]);
      expect(await queues.queue(partition).getActiveCount()).toBe(3);
      for (const id of ids) expect(await redis.hget(keys.job(id), 'ats')).toBe('1');
    });

    test('takes none that another worker has by now', async () => {
      const jobId = await enqueued(0);
      let isFirst = true;
      const evalsha = async (sha: string, keyCount: number, ...rest: (string | number)[]): Promise<unknown> => {
        if (sha === turn.sha && isFirst) {
          isFirst = false;
          await redis.evalsha(sha, keyCount, ...rest);
          await redis.set(`${keys.job(jobId)}:lock`, 'another', 'PX', 5_000);
        }
        return redis.evalsha(sha, keyCount, ...rest);
      };
      const late = new Proxy(redis, { get: (target, name) => (name === 'evalsha' ? evalsha : Reflect.get(target, name)) });
      expect(await takenBy(new InvocationStore({ redis: late, keys, sealer, files }), 'one', 2)).toEqual([]);
    });

    test('ends each call once, and completes its job', async () => {
      const ids = [await enqueued(0), await enqueued(0)];
      await takenBy(store, 'one', 2);
      const ends = [];
      for (const jobId of ids) {
        const record = await store.read(jobId);
        const ready = record && (await store.readyEnd({ jobId, head: record.head, ending: ending(), attempt: 1 }));
        if (ready) ends.push({ ready, completion: { attempts: 1, returnValue: '"done"' } });
      }
      const waits = await enqueued(0);
      const { finished, taken } = await losing(2).turn(partition, ends, taker('one', 2));
      expect(finished).toEqual(['ended', 'ended']);
      expect(taken).toMatchObject({ jobs: [{ jobId: waits }] });
      expect(await Promise.all([...ids, waits].map((id) => queues.stateOf(id)))).toEqual(['completed', 'completed', 'active']);
      expect(await redis.hget(keys.openByTenant(partition), 'none')).toBeNull();
    });
  });
});
