import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { domains } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { InvocationStore } from './invocation-store.js';
import { newJobId, partitionOf } from './redis-keys.js';
import { take } from './scripts/take.js';
import { queuedJob, ToolQueues } from './tool-queue.js';
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
    await store.progress(jobId, 1, progressOf(0));
    await store.output(jobId, 1, ['a']);
  });

  test.each([false, true])('what a run tells is told once, and its end is its own (all at once: %s)', async (together) => {
    const asked = request(newCaller());
    const { jobId, head } = asked;
    const unsure = breaking(together);
    await unsure.accept(domain, asked);
    const begun = await unsure.begin(jobId, Date.now());
    const run = begun.kind === 'run' ? begun.run : 0;
    const written = await Promise.all([
      unsure.progress(jobId, run, progressOf(10)),
      unsure.output(jobId, run, ['a', 'b']),
      unsure.output(jobId, run, ['c']),
      unsure.progress(jobId, run, progressOf(20)),
    ]);
    expect(written).toEqual([true, true, true, true]);
    expect(await unsure.finish({ jobId, head, ending: ending(), run })).toBe('ended');
    expect(await unsure.finish({ jobId, head, ending: ending(), run })).toBe('ended-before');
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
    expect(await unsure.retry(asked.jobId, 1, { event, spent: { network: 1 } })).toBe(true);
    expect(await store.begin(asked.jobId, Date.now())).toMatchObject({ kind: 'run', run: 2, spent: { network: 1 } });
    expect(await unsure.progress(asked.jobId, 2, progressOf(5))).toBe(true);
    expect(await log.readAfter(asked.jobId, 1)).toMatchObject([{ kind: 'retry' }, { progress: 5 }]);
  });

  describe('a job whose taking is sent again', () => {
    /** Each taking is done as often as that before a reply arrives. */
    function losing(times: number): InvocationStore {
      const evalsha = async (sha: string, keyCount: number, ...rest: (string | number)[]): Promise<unknown> => {
        for (let n = 0; sha === take.sha && n < times; n++) {
          await redis.evalsha(sha, keyCount, ...rest);
          redis.emit('close');
        }
        return redis.evalsha(sha, keyCount, ...rest);
      };
      const unsure = new Proxy(redis, { get: (target, name) => (name === 'evalsha' ? evalsha : Reflect.get(target, name)) });
      return new InvocationStore({ redis: unsure, keys, sealer, files });
    }
    const partition = partitionOf('profile', 1);
    const terms = (token: string) => ({ lockMs: 5_000, token });
    const queues = new ToolQueues(redis, keys);

    afterEach(async () => queues.queue(partition).obliterate({ force: true }));
    afterAll(async () => queues.close());

    async function enqueued(priority: number): Promise<string> {
      const asked = request(newCaller(), { jobId: newJobId(partition) });
      await store.accept(domain, { ...asked, job: { ...queuedJob({ ...asked, contract: undefined }), priority } });
      return asked.jobId;
    }

    test.each([0, 3])("is nobody else's: those that nobody knows of wait as before, in front (priority %i)", async (priority) => {
      const ids = [await enqueued(priority), await enqueued(priority), await enqueued(priority)];
      const first = await losing(1).take(partition, terms('one'));
      expect(first).toMatchObject({ kind: 'job', jobId: ids[1] });
      expect(await store.read(ids[0] ?? '')).toMatchObject({ state: 'waiting', runs: 0 });
      const second = await store.take(partition, terms('two'));
      expect(second).toMatchObject({ kind: 'job', jobId: ids[0], begun: { kind: 'run', run: 1 } });
      expect(await store.take(partition, terms('three'))).toMatchObject({ kind: 'job', jobId: ids[2] });
      expect(await store.take(partition, terms('four'))).toMatchObject({ kind: 'none' });
      expect(await queues.queue(partition).getActiveCount()).toBe(3);
      for (const id of ids) expect(await redis.hget(keys.job(id), 'ats')).toBe('1');
    });

    test('does not get lost when nothing else waits, and wakes a worker', async () => {
      const jobId = await enqueued(0);
      await redis.del(keys.queue(partition, 'marker'));
      expect(await losing(1).take(partition, terms('one'))).toEqual({ kind: 'none', delayedUntil: 0 });
      expect(await redis.zcard(keys.queue(partition, 'marker'))).toBe(1);
      expect(await store.take(partition, terms('two'))).toMatchObject({ kind: 'job', jobId, begun: { kind: 'run', run: 1 } });
    });

    test('however often, and whatever other workers have', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 6; n++) ids.push(await enqueued(0));
      const other = await store.take(partition, terms('other'));
      expect(await losing(3).take(partition, terms('one'))).toMatchObject({ kind: 'job', jobId: ids[4] });
      const state = async (id: string) => queues.stateOf(id);
      expect(other).toMatchObject({ jobId: ids[0] });
      expect(await Promise.all(ids.map(state))).toEqual(['active', 'waiting', 'waiting', 'waiting', 'active', 'waiting']);
    });
  });
});
