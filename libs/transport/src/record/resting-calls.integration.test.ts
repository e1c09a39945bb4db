import { afterAll, describe, expect, test } from '@jest/globals';
import { principal } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { wholeMs } from '../past/logged-call.js';
import { InvocationStore } from './invocation-store.js';
import { queuedJob } from './queued-job.js';
import { recordLifeMs } from '../redis/lives.js';
import { dayMs, ending, newCaller, request } from './test-invocations.js';
import { hourMs, restingOn, taker } from './test-resting-calls.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const {
  keys,
  store,
  sealer,
  files,
  log,
  domain,
  partition,
  later,
  resting,
  running,
  recordOf,
  wakeOf,
  wake,
  finish,
  rest,
  placesOf,
  kindsOf,
  atRest,
  waiting,
} = restingOn(redis, namespace);

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

describe('a call that rests from its acceptance on', () => {
  test('has a record with its rest and an event, and is neither open nor in the queue', async () => {
    const { jobId, head, rest: asked } = await resting();
    expect(await placesOf(jobId, head.caller)).toEqual(atRest);
    const record = await recordOf(jobId);
    expect(record).toMatchObject({ state: 'resting', attempts: 0, lastSeq: 2, rest: { ...asked, since: head.createdAt, number: 1 } });
    expect(await log.readAfter(jobId, 0)).toMatchObject([{ kind: 'resting', seq: 2, reason: 'scheduled', until: asked?.until }]);
    expect((await store.begin(jobId, Date.now())).kind).toBe('ended');
  });

  test.each([hourMs, 30 * dayMs, 366 * dayMs])(
    'lives for a day longer than its rest of %i ms, and its tenant holds it as long',
    async (ms) => {
      const { jobId, head } = await resting(newCaller(), { rest: later(ms), idempotencyKey: 'long' });
      for (const key of [
        keys.invocation(jobId),
        keys.events(jobId),
        keys.idempotency(partition, [principal(head.caller), head.tool, 'long']),
      ])
        expect(Math.abs((await redis.pttl(key)) - ms - recordLifeMs)).toBeLessThan(10_000);
      const held = keys.held(partition, head.caller.tenantId);
      expect(await redis.pttl(held)).toBeGreaterThan(ms + recordLifeMs);
      // Another call of the tenant counts its hours anew, and forgets none.
      await redis.hset(held, 'counted', '0');
      await store.accept(domain, request(head.caller));
      expect(await redis.pttl(held)).toBeGreaterThan(ms + recordLifeMs);
      expect(Number(await redis.hget(held, 'sum'))).toBeGreaterThan(6_000);
    },
  );

  test('counts in the bytes of its tenant', async () => {
    const small = new InvocationStore({ redis, keys, sealer, files, maxTenantBytes: 5_000 });
    const caller = newCaller();
    expect((await small.accept(domain, request(caller, { rest: later() }))).kind).toBe('resting');
    expect(await small.accept(domain, request(caller, { rest: later() }))).toMatchObject({ kind: 'tenant-full', maxBytes: 5_000 });
    expect((await small.accept(domain, request(caller))).kind).toBe('tenant-full');
  });

  test('is found by its idempotency key, with and without rest, and stays as it is', async () => {
    const caller = newCaller();
    const { jobId } = await resting(caller, { idempotencyKey: 'k' });
    const before = await redis.pttl(keys.invocation(jobId));
    for (const own of [{ rest: later() }, {}]) {
      const again = request(caller, { idempotencyKey: 'k', deadline: Date.now() + 400 * dayMs, ...own });
      expect(await store.accept(domain, again)).toEqual({ kind: 'replayed', jobId });
      expect(await store.accept(domain, { ...again, fingerprint: 'f2' })).toEqual({ kind: 'conflict' });
    }
    expect(await placesOf(jobId, caller)).toEqual(atRest);
    expect(Math.abs((await redis.pttl(keys.invocation(jobId))) - before)).toBeLessThan(5_000);
  });

  test('of many at once with one key, one is there', async () => {
    const caller = newCaller();
    const all = await Promise.all(
      Array.from({ length: 50 }, async (_, n) =>
        store.accept(domain, request(caller, { idempotencyKey: 'race', ...(n % 2 && { rest: later() }) })),
      ),
    );
    expect(all.filter(({ kind }) => kind === 'created' || kind === 'resting')).toHaveLength(1);
  });

  test('is among the jobs of its caller before, while and after it waits', async () => {
    const asked = await resting();
    const who = principal(asked.head.caller);
    const listed = async () =>
      (await store.jobsOf(partition, who, { before: Number.MAX_SAFE_INTEGER, limit: 10 })).map(({ jobId }) => jobId);
    // A call that is made meanwhile gives the list of others a life of a day.
    const other = request(asked.head.caller);
    await store.accept(domain, other);
    expect((await listed()).toSorted()).toEqual([asked.jobId, other.jobId].toSorted());
    await redis.del(keys.callerJobs(partition, who));
    expect(await listed()).toEqual([asked.jobId]);
    await wake(asked.jobId);
    expect(await listed()).toEqual([asked.jobId]);
    await finish(asked);
    expect(await listed()).toEqual([asked.jobId]);
  });
});

describe('waking', () => {
  test('puts the call back as if it were accepted now, and finds nothing the second time', async () => {
    const { jobId, head } = await resting(newCaller(), { deadline: Date.now() + 7_000 });
    const again = await wakeOf(jobId);
    expect(await wake(jobId)).toBe('woken');
    expect(await again()).toBe('late');
    expect(await placesOf(jobId, head.caller)).toEqual(waiting);
    const record = await recordOf(jobId);
    expect(record).toMatchObject({ state: 'waiting', rest: null, rested: { readyAt: expect.any(Number) } });
    expect(Math.abs(record.deadline - Date.now() - 7_000)).toBeLessThan(1_000);
    expect(await kindsOf(jobId)).toEqual(['resting', 'resumed']);
    const { taken } = await store.turn(partition, [], taker);
    expect(taken).toMatchObject({ jobs: expect.arrayContaining([{ jobId, begun: null }]) });
    expect(await store.begin(jobId, Date.now())).toMatchObject({
      kind: 'begun',
      attempt: 1,
      head,
      rested: { readyAt: expect.any(Number) },
    });
  });

  test('one that is late for a rest does not end the next', async () => {
    const asked = await resting();
    const late = await wakeOf(asked.jobId);
    await wake(asked.jobId);
    await store.turn(partition, [], taker);
    await store.begin(asked.jobId, Date.now());
    expect(await rest(asked)).toBe(true);
    expect(await late()).toBe('late');
    expect(await placesOf(asked.jobId, asked.head.caller)).toEqual(atRest);
    expect(await recordOf(asked.jobId)).toMatchObject({ rest: { reason: 'sleep', number: 2 } });
    expect(await wake(asked.jobId)).toBe('woken');
    await finish(asked);
  });

  test('by ten at once is done by one, and the queue has the job once', async () => {
    const { jobId, head } = await resting();
    const wakes = await Promise.all(Array.from({ length: 10 }, async () => wakeOf(jobId)));
    const woken = await Promise.all(wakes.map(async (one) => one()));
    expect(woken.filter((one) => one === 'woken')).toHaveLength(1);
    expect((await redis.lrange(keys.queue(partition, 'wait'), 0, -1)).filter((id) => id === jobId)).toHaveLength(1);
    await finish({ ...request(head.caller), jobId, head });
  });

  test('of a record that is gone tells it, and forgets the entry', async () => {
    const { jobId } = await resting();
    const late = await wakeOf(jobId);
    await redis.del(keys.invocation(jobId));
    expect(await late()).toBe('unknown');
    expect(await redis.zscore(keys.resting(partition), jobId)).toBeNull();
  });

  test('finds what is due, the earliest first, and when the next is', async () => {
    await redis.del(keys.resting(partition));
    const first = await resting(newCaller(), { rest: later(2_000) });
    const second = await resting(newCaller(), { rest: later(1_000) });
    const now = Date.now();
    expect(await store.resting.due(partition, now, 10)).toEqual({ jobIds: [], nextAt: second.rest?.until });
    expect(await store.resting.due(partition, now + 1_500, 10)).toEqual({ jobIds: [second.jobId], nextAt: first.rest?.until });
    expect(await store.resting.due(partition, now + 3_000, 10)).toEqual({ jobIds: [second.jobId, first.jobId], nextAt: null });
    expect(await store.resting.due(partition, now + 3_000, 1)).toEqual({ jobIds: [second.jobId], nextAt: first.rest?.until });
    await Promise.all([finish(first), finish(second)]);
  });

  test('takes a round behind those that wait already', async () => {
    const crowd = { ...domain, concurrency: domain.concurrency };
    const caller = newCaller();
    for (let n = 0; n < crowd.concurrency + 2; n++) {
      const asked = request(caller);
      await store.accept(crowd, { ...asked, job: queuedJob({ ...asked, contract: undefined }) });
    }
    const { jobId } = await resting(caller);
    await wake(jobId);
    expect(await redis.zscore(keys.queue(partition, 'prioritized'), jobId)).not.toBeNull();
    expect(await redis.lpos(keys.queue(partition, 'wait'), jobId)).toBeNull();
    for (const id of await store.open.until(partition, '+inf', { offset: 0, limit: 1_000 }))
      await store.finish({ jobId: id, head: (await recordOf(id)).head, ending: ending(), attempt: null });
    await redis.del(keys.queue(partition, 'wait'), keys.queue(partition, 'prioritized'));
  });
});

describe('a call that runs', () => {
  test('leaves its worker, the open calls and the queue, and goes on where it was woken', async () => {
    const asked = await running();
    const { jobId, head } = asked;
    expect(await rest(asked)).toBe(true);
    expect(await placesOf(jobId, head.caller)).toEqual(atRest);
    expect(await redis.exists(`${keys.job(jobId)}:lock`)).toBe(0);
    expect(await redis.lpos(keys.queue(partition, 'active'), jobId)).toBeNull();
    expect(await wake(jobId)).toBe('woken');
    expect(await placesOf(jobId, head.caller)).toEqual(waiting);
    await store.turn(partition, [], taker);
    expect(await store.begin(jobId, Date.now())).toMatchObject({ attempt: 2, rested: { restedMs: expect.any(Number) } });
    expect(await finish(asked, { attempt: 2 })).toBe('ended');
    expect(await kindsOf(jobId)).toEqual(['resting', 'resumed', 'end']);
  });

  test.each([
    ['of an earlier run', { attempt: 0 }],
    ['whose lock is lost', { token: 'of another' }],
  ])('%s rests nothing', async (_what, own) => {
    const asked = await running();
    expect(await rest(asked, own)).toBe(false);
    expect(await placesOf(asked.jobId, asked.head.caller)).toEqual(waiting);
    expect(await kindsOf(asked.jobId)).toEqual([]);
    await finish(asked);
  });

  test('that was ended rests nothing, and one that rests is not ended, and told nothing, by its run', async () => {
    const ended = await running();
    await finish(ended);
    expect(await rest(ended)).toBe(false);
    const asked = await running();
    await rest(asked);
    expect(await finish(asked, { attempt: 1 })).toBe('fenced');
    expect(await store.attempts.output(asked.jobId, 1, ['late'])).toBe(false);
    expect(await placesOf(asked.jobId, asked.head.caller)).toEqual(atRest);
    expect(await kindsOf(asked.jobId)).toEqual(['resting']);
    await finish(asked);
  });

  test('does not count its rest as time that it took', () => {
    const { head } = request(newCaller(), { head: { createdAt: 1_000 } });
    expect(wholeMs(head, ending({ finishedAt: 11_000, restedMs: 9_000, executionMs: 5 }))).toBe(1_000);
  });
});

describe('a call at rest', () => {
  test('is cancelled, and is left alone by its deadline', async () => {
    const asked = await resting();
    expect(await finish(asked, { unlessResting: true })).toBe('resting');
    expect(await finish(asked)).toBe('ended');
    expect(await finish(asked)).toBe('ended-before');
    expect(await placesOf(asked.jobId, asked.head.caller)).toEqual({ ...atRest, resting: false });
    expect(await kindsOf(asked.jobId)).toEqual(['resting', 'end']);
    expect((await recordOf(asked.jobId)).ending?.state).toBe('cancelled');
    expect(await store.resting.count(partition)).toBe(0);
  });

  test('is rested, woken and ended once where the connection breaks before each reply', async () => {
    const evalsha = async (sha: string, keyCount: number, ...args: (string | number)[]): Promise<unknown> => {
      await redis.evalsha(sha, keyCount, ...args);
      return redis.evalsha(sha, keyCount, ...args);
    };
    const twice = new Proxy(redis, { get: (target, name) => (name === 'evalsha' ? evalsha : Reflect.get(target, name)) });
    const unsure = new InvocationStore({ redis: twice, keys, sealer, files });
    const asked = request(newCaller(), { rest: later(), idempotencyKey: 'unsure' });
    expect((await unsure.accept(domain, asked)).kind).toBe('resting');
    expect(await wake(asked.jobId, unsure)).toBe('woken');
    await store.turn(partition, [], taker);
    await store.begin(asked.jobId, Date.now());
    expect(await rest(asked, {}, unsure)).toBe(true);
    expect(await wake(asked.jobId, unsure)).toBe('woken');
    expect(await kindsOf(asked.jobId)).toEqual(['resting', 'resumed', 'resting', 'resumed']);
    expect(await placesOf(asked.jobId, asked.head.caller)).toEqual(waiting);
    await finish(asked);
  });
});
