// How long things live, on both sides of each window. Redis keeps the time of keys, so a test reads the time that is left or lets it pass
// by setting it.
import { afterAll, describe, expect, test } from '@jest/globals';
import { domains, principal, type Domain } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { invalidateCache } from './invalidate-cache.js';
import { InvocationStore } from './invocation-store.js';
import { recordLifeMs } from '../redis/lives.js';
import { newJobId, partitionOf } from '../redis/partition.js';
import { dayMs, done, ending, newCaller, request, storeOn } from './test-invocations.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, sealer, files, store } = storeOn(redis, namespace);
const domain: Domain = { ...domains.profile, maxOpen: 10_000, tenantShare: 1 };

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

/** The commands take time themselves, on a busy machine seconds. */
async function expectLife(key: string, ms: number): Promise<void> {
  const left = await redis.pttl(key);
  expect(left).toBeLessThanOrEqual(ms);
  expect(left).toBeGreaterThan(Math.max(0, ms - 30_000));
}

async function ended(rest: Partial<Parameters<typeof store.finish>[0]> = {}, wishes: Parameters<typeof request>[1] = {}) {
  const asked = request(newCaller(), wishes);
  await store.accept(domain, asked);
  await store.finish({ jobId: asked.jobId, head: asked.head, ending: ending(), attempt: null, ...rest });
  return asked;
}

describe('a record', () => {
  test('lives for two days while it is open, and for one day from its end, with its events', async () => {
    const asked = request(newCaller());
    await store.accept(domain, asked);
    await store.begin(asked.jobId, Date.now());
    await store.attempts.output(asked.jobId, 1, ['a']);
    for (const key of [keys.invocation(asked.jobId), keys.events(asked.jobId)]) await expectLife(key, 2 * dayMs);
    await store.finish({ jobId: asked.jobId, head: asked.head, ending: ending(), attempt: null });
    for (const key of [keys.invocation(asked.jobId), keys.events(asked.jobId)]) await expectLife(key, recordLifeMs);
  });

  test('that is forgotten is gone with its events and its secrets', async () => {
    const { jobId } = await ended({ sealed: { text: 's', lifeMs: 60_000 } });
    await store.forget([jobId]);
    expect(await store.read(jobId)).toBeNull();
    expect(await redis.exists(keys.invocation(jobId), keys.events(jobId), keys.sealed(jobId))).toBe(0);
  });

  test.each(['', 'x', 'inv_nowhere_' + '0'.repeat(32), 'inv_profile_' + '0'.repeat(32)])('under the id %j is none', async (jobId) => {
    expect(await store.read(jobId)).toBeNull();
  });
});

describe('an idempotency key', () => {
  test('holds for a day from the acceptance, and not longer', async () => {
    const caller = newCaller();
    const asked = request(caller, { idempotencyKey: 'k' });
    await store.accept(domain, asked);
    const key = keys.idempotency(partitionOf('profile'), [principal(caller), 'calc_metrics', 'k']);
    await expectLife(key, recordLifeMs);
    await redis.del(key);
    expect(await store.accept(domain, request(caller, { idempotencyKey: 'k' }))).toMatchObject({ kind: 'created' });
  });

  test('whose record is gone makes a new call', async () => {
    const caller = newCaller();
    const asked = request(caller, { idempotencyKey: 'k' });
    await store.accept(domain, asked);
    await store.forget([asked.jobId]);
    expect(await store.accept(domain, request(caller, { idempotencyKey: 'k' }))).toMatchObject({ kind: 'created' });
  });
});

describe('a deadline', () => {
  test.each([
    [-1, 'begun'],
    [0, 'expired'],
    [1, 'expired'],
  ])('%i ms after it a worker finds the call to be %s', async (offset, kind) => {
    const deadline = 1_900_000_000_000;
    const asked = request(newCaller(), { deadline });
    await store.accept(domain, asked);
    expect(await store.begin(asked.jobId, deadline + offset)).toMatchObject({ kind });
  });

  test.each([
    ['later moves it', 1_000, 1_000],
    ['earlier leaves it', -1_000, 0],
  ])('of a caller who joins and waits until %s', async (_name, offset, moved) => {
    const deadline = 1_900_000_000_000;
    const caller = newCaller();
    const first = request(caller, { idempotencyKey: 'k', deadline });
    await store.accept(domain, first);
    await store.accept(domain, request(caller, { idempotencyKey: 'k', deadline: deadline + offset }));
    expect((await store.read(first.jobId))?.deadline).toBe(deadline + moved);
    expect(await redis.zscore(keys.open(partitionOf('profile')), first.jobId)).toBe(String(deadline + moved));
  });

  test('of a call that has ended moves no more: it is not open again', async () => {
    const caller = newCaller();
    const first = request(caller, { idempotencyKey: 'k' });
    await store.accept(domain, first);
    await store.finish({ jobId: first.jobId, head: first.head, ending: ending(), attempt: null });
    await store.accept(domain, request(caller, { idempotencyKey: 'k', deadline: Date.now() + 9 * dayMs }));
    expect(await redis.zscore(keys.open(partitionOf('profile')), first.jobId)).toBeNull();
  });
});

describe('a cached answer', () => {
  const cached = (cachedAt: number) => ({ lifeMs: 60_000, entry: { cachedAt, outcome: done } });

  test.each([
    ['a millisecond before', -1, 'created'],
    ['at', 0, 'cached'],
    ['a millisecond after', 1, 'cached'],
  ])('that was made %s the moment from which answers are trusted (%i): the call is %s', async (_name, offset, kind) => {
    const changedAt = 1_900_000_000_000;
    const wishes = { readCache: true, head: { cacheKey: newJobId(partitionOf('profile')) } };
    await ended({ cache: cached(changedAt + 5_000 + offset) }, wishes);
    await invalidateCache(redis, keys, { partitions: [partitionOf('profile')], attemptMs: 5_000, now: changedAt });
    expect(await store.accept(domain, request(newCaller(), wishes))).toMatchObject({ kind });
    await redis.del(keys.cacheTrust(partitionOf('profile')));
  });

  test('lives as long as its contract says', async () => {
    const cacheKey = newJobId(partitionOf('profile'));
    await ended({ cache: cached(7) }, { head: { cacheKey } });
    await expectLife(keys.cache(partitionOf('profile'), cacheKey), 60_000);
  });

  test('is not stored for a call without a cache key', async () => {
    await ended({ cache: cached(7) });
    expect(await redis.exists(keys.cache(partitionOf('profile'), ''))).toBe(0);
  });
});

describe('a caller’s jobs', () => {
  test('are listed newest first, for a day, page by page', async () => {
    const caller = newCaller();
    const now = Date.now();
    const ages = [dayMs - 1_000, 3_000, 2_000, 1_000];
    const ids: string[] = [];
    for (const age of ages) {
      const asked = request(caller, { head: { createdAt: now - age } });
      await store.accept(domain, asked);
      ids.unshift(asked.jobId);
    }
    const who = principal(caller);
    const listed = async (at: number, before: number, limit: number) =>
      (await new InvocationStore({ redis, keys, sealer, files, now: () => at }).jobsOf(partitionOf('profile'), who, { before, limit })).map(
        ({ jobId }) => jobId,
      );
    expect(await listed(now, now, 10)).toEqual(ids);
    expect(await listed(now, now, 2)).toEqual(ids.slice(0, 2));
    expect(await listed(now, now - 2_500, 10)).toEqual(ids.slice(2));
    expect(await listed(now + 999, now, 10)).toHaveLength(4);
    expect(await listed(now + 1_001, now, 10)).toEqual(ids.slice(0, 3));
  });
});

describe('sealed data that may be had once', () => {
  const once = { once: true, joinableMs: 0 };

  test('is handed to each call that was accepted for it, once', async () => {
    const caller = newCaller();
    const first = request(caller, { idempotencyKey: 's' });
    await store.accept(domain, first);
    await store.accept(domain, request(caller, { idempotencyKey: 's' }));
    const { jobId, head } = first;
    await store.finish({ jobId, head, ending: ending(), attempt: null, sealed: { text: 'secret', lifeMs: 60_000 } });
    expect([await store.claim(jobId, once), await store.claim(jobId, once), await store.claim(jobId, once)]).toEqual([
      'secret',
      'secret',
      null,
    ]);
    expect(await redis.exists(keys.sealed(jobId))).toBe(0);
  });

  test('waits for those who may still join, and no longer than it lives', async () => {
    const { jobId } = await ended({ sealed: { text: 'secret', lifeMs: 60_000 } });
    expect(await store.claim(jobId, { once: true, joinableMs: 5_000 })).toBe('secret');
    await expectLife(keys.sealed(jobId), 5_000);
  });

  test('can be had again and again where its contract does not say once', async () => {
    const { jobId } = await ended({ sealed: { text: 'secret', lifeMs: 60_000 } });
    const freely = { once: false, joinableMs: 0 };
    expect([await store.claim(jobId, freely), await store.claim(jobId, freely)]).toEqual(['secret', 'secret']);
    await expectLife(keys.sealed(jobId), 60_000);
  });

  test('is gone with its record', async () => {
    const { jobId } = await ended({ sealed: { text: 'secret', lifeMs: 60_000 } });
    await redis.del(keys.invocation(jobId));
    expect(await store.claim(jobId, once)).toBeNull();
  });
});

describe('a write that Redis rejects', () => {
  /** A connection that rejects this many commands before it passes them on. */
  function rejecting(times: number) {
    let left = times;
    const evalsha = async (...command: Parameters<typeof redis.evalsha>) => {
      if (left-- > 0) throw new Error("OOM command not allowed when used memory > 'maxmemory'.");
      return redis.evalsha(...command);
    };
    return new Proxy(redis, { get: (target, name) => (name === 'evalsha' ? evalsha : Reflect.get(target, name)) });
  }

  test('is an error for a gateway', async () => {
    const gateway = new InvocationStore({ redis: rejecting(1), keys, sealer, files });
    await expect(gateway.begin(newJobId(partitionOf('profile')), 0)).rejects.toThrow('OOM');
  });

  test('is retried by a worker until Redis takes it, and is one write', async () => {
    const asked = request(newCaller());
    await store.accept(domain, asked);
    await store.begin(asked.jobId, 0);
    const worker = new InvocationStore({ redis: rejecting(1), keys, sealer, files, retriesRefusedWrites: true });
    expect(await worker.attempts.output(asked.jobId, 1, ['a'])).toBe(true);
    expect((await store.read(asked.jobId))?.lastSeq).toBe(2);
  });
});
