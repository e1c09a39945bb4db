import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { domains, type Caller, type Domain } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import type { AcceptRequest } from './acceptance.js';
import { newJobId, partitionOf } from '../redis/partition.js';
import { dayMs, done, ending, newCaller, request, storeOn } from './test-invocations.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, store, log } = storeOn(redis, namespace);
const domain: Domain = { ...domains.profile, maxOpen: 1_000, tenantShare: 0.5 };

/** In which nothing is open. */
function ownStore() {
  const name = newNamespace();
  const client = testRedis(name);
  return { ...storeOn(redis, name), [Symbol.asyncDispose]: async () => client[Symbol.asyncDispose]() };
}

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

describe('accepting', () => {
  test('writes a record that can be read at once, and stores no event', async () => {
    const asked = request(newCaller());
    expect(await store.accept(domain, asked)).toEqual({ kind: 'created', jobId: asked.jobId, round: 0, head: asked.head });
    expect(await store.read(asked.jobId)).toMatchObject({ state: 'waiting', head: asked.head, ending: null, attempts: 0 });
    expect(await log.readAfter(asked.jobId, 0)).toEqual([]);
  });

  test('the same idempotency key finds the same job, other parameters are a conflict, another caller is independent', async () => {
    const caller = newCaller();
    const first = request(caller, { idempotencyKey: 'k1' });
    await store.accept(domain, first);
    expect(await store.accept(domain, request(caller, { idempotencyKey: 'k1' }))).toEqual({ kind: 'replayed', jobId: first.jobId });
    expect(await store.accept(domain, request(caller, { idempotencyKey: 'k1', fingerprint: 'f2' }))).toEqual({ kind: 'conflict' });
    expect((await store.accept(domain, request({ ...caller, userId: 'v' }, { idempotencyKey: 'k1' }))).kind).toBe('created');
    expect((await store.accept(domain, request(caller, { idempotencyKey: 'k1', head: { tool: 'other' } }))).kind).toBe('created');
  });

  test('of many at once with one key, one is created', async () => {
    const caller = newCaller();
    const all = await Promise.all(Array.from({ length: 200 }, () => store.accept(domain, request(caller, { idempotencyKey: 'race' }))));
    expect(all.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(new Set(all.map((one) => ('jobId' in one ? one.jobId : one.kind))).size).toBe(1);
  });

  test('equal calls in flight share a run, and again for the window after it', async () => {
    const caller = newCaller();
    const flight = { head: { flightKey: `flight-${caller.tenantId}` } };
    const first = request(caller, flight);
    await store.accept(domain, first);
    expect(await store.accept(domain, request(caller, flight))).toEqual({ kind: 'joined', jobId: first.jobId });
    await store.finish({ jobId: first.jobId, head: first.head, ending: ending(), attempt: null, flightWindowMs: 150 });
    expect(await store.accept(domain, request(caller, flight))).toEqual({ kind: 'joined', jobId: first.jobId });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await store.accept(domain, request(caller, flight))).kind).toBe('created');
  });

  test('a failed run is not shared after its end', async () => {
    const caller = newCaller();
    const flight = { head: { flightKey: `flight-${caller.tenantId}` } };
    const first = request(caller, flight);
    await store.accept(domain, first);
    await store.finish({
      jobId: first.jobId,
      head: first.head,
      ending: ending({ state: 'failed' }),
      attempt: null,
      flightWindowMs: 60_000,
    });
    expect((await store.accept(domain, request(caller, flight))).kind).toBe('created');
  });

  test('a cached success answers without a job', async () => {
    const caller = newCaller();
    const cached = { readCache: true, head: { cacheKey: `cache-${caller.tenantId}` } };
    const first = request(caller, cached);
    await store.accept(domain, first);
    await store.finish({
      jobId: first.jobId,
      head: first.head,
      ending: ending(),
      attempt: null,
      cache: { lifeMs: 60_000, entry: { cachedAt: 7, outcome: done } },
    });
    expect(await store.accept(domain, request(caller, cached))).toEqual({
      kind: 'cached',
      entry: { cachedAt: 7, outcome: done },
      leftMs: expect.any(Number),
      text: JSON.stringify({ cachedAt: 7, outcome: done }),
    });
    expect((await store.accept(domain, request(caller, { ...cached, readCache: false }))).kind).toBe('created');
  });

  test('a tenant that holds its share is refused while others are let in, until something ends', async () => {
    const small: Domain = { ...domain, maxOpen: 4 + (await store.open.count(partitionOf('profile'))), tenantShare: 0.0001 };
    const caller = newCaller();
    const first = request(caller);
    expect((await store.accept(small, first)).kind).toBe('created');
    expect((await store.accept(small, request(caller))).kind).toBe('tenant-overloaded');
    expect((await store.accept(small, request(newCaller()))).kind).toBe('created');
    await store.finish({ jobId: first.jobId, head: first.head, ending: ending(), attempt: null });
    expect((await store.accept(small, request(caller))).kind).toBe('created');
  });

  test('two greedy tenants leave the last places to those with little open', async () => {
    await using own = ownStore();
    const bounded: Domain = { ...domain, maxOpen: 200, tenantShare: 0.75 };
    const [a, b] = [newCaller(), newCaller()];
    const letIn = async (caller: Caller, calls: number) => {
      const kinds: string[] = [];
      for (let call = 0; call < calls; call++) kinds.push((await own.store.accept(bounded, request(caller))).kind);
      return kinds.filter((kind) => kind === 'created').length;
    };
    expect([await letIn(a, 160), await letIn(b, 60)]).toEqual([150, 30]);
    expect([await letIn(newCaller(), 5), await letIn(newCaller(), 5)]).toEqual([2, 2]);
    expect([await letIn(a, 1), await letIn(b, 1)]).toEqual([0, 0]);
  });

  test('a call that too many stand before is refused, and writes nothing; one that need not wait behind them is let in', async () => {
    await using own = ownStore();
    const busy: Domain = { ...domain, concurrency: 1 };
    const shown = { trace_id: 't', tenant: 't', user: null };
    const job = (jobId: string) => ({ jobId, tool: 't', maxAttempts: 1, priority: 0, shown, data: JSON.stringify(shown) });
    const letIn = async (asked: AcceptRequest, maxAhead?: number) => own.store.accept(busy, { ...asked, maxAhead, job: job(asked.jobId) });
    const crowd = newCaller();
    // The first one need not wait.
    for (let call = 0; call < 8; call++) await letIn(request(crowd));
    const late = request(crowd);
    expect(await letIn(late, 6)).toEqual({ kind: 'too-late', ahead: 7 });
    expect(await own.store.read(late.jobId)).toBeNull();
    expect(await redis.hget(own.keys.openByTenant(partitionOf('profile')), crowd.tenantId)).toBe('8');
    expect((await letIn(late, 7)).kind).toBe('created');
    // Its turn is in the first round.
    expect((await letIn(request(newCaller()), 2)).kind).toBe('created');
  });

  test('a full domain refuses everybody, and writes nothing', async () => {
    const full: Domain = { ...domain, maxOpen: await store.open.count(partitionOf('profile')) };
    const asked = request(newCaller());
    expect((await store.accept(full, asked)).kind).toBe('overloaded');
    expect(await store.read(asked.jobId)).toBeNull();
  });
});

describe('running', () => {
  test('a worker gets what was accepted; a forged record is unknown to it', async () => {
    const asked = request(newCaller());
    await store.accept(domain, asked);
    expect(await store.begin(asked.jobId, Date.now())).toMatchObject({ kind: 'begun', head: asked.head, attempt: 1, spent: {} });
    expect(await store.begin(newJobId(partitionOf('profile')), Date.now())).toEqual({ kind: 'unknown' });
    await redis.hset(keys.invocation(asked.jobId), 'head', JSON.stringify({ ...asked.head, caller: newCaller() }));
    expect(await store.begin(asked.jobId, Date.now())).toEqual({ kind: 'unknown' });
  });

  test('past its deadline it is not run', async () => {
    const asked = request(newCaller(), { deadline: Date.now() + 5 });
    await store.accept(domain, asked);
    expect((await store.begin(asked.jobId, Date.now() + 6)).kind).toBe('expired');
  });

  test('a later waiter extends the deadline', async () => {
    const caller = newCaller();
    const first = request(caller, { idempotencyKey: 'x', deadline: Date.now() + 5 });
    await store.accept(domain, first);
    await store.accept(domain, request(caller, { idempotencyKey: 'x', deadline: Date.now() + dayMs }));
    expect((await store.begin(first.jobId, Date.now() + 6)).kind).toBe('begun');
  });

  test('only the latest run may write: a worker that was away is fenced off', async () => {
    const asked = request(newCaller());
    await store.accept(domain, asked);
    await store.begin(asked.jobId, Date.now());
    await store.begin(asked.jobId, Date.now());
    expect(await store.attempts.progress(asked.jobId, 1, { kind: 'progress', progress: 50, message: 'old' })).toBe(false);
    expect(await store.attempts.progress(asked.jobId, 2, { kind: 'progress', progress: 10, message: 'new' })).toBe(true);
    expect(await store.finish({ jobId: asked.jobId, head: asked.head, ending: ending(), attempt: 1 })).toBe('fenced');
    expect(await store.finish({ jobId: asked.jobId, head: asked.head, ending: ending(), attempt: 2 })).toBe('ended');
    expect(await log.readAfter(asked.jobId, 1)).toMatchObject([
      { message: 'new', seq: 2 },
      { kind: 'end', seq: 3 },
    ]);
  });

  test('a spent retry survives the worker that spent it', async () => {
    const asked = request(newCaller());
    await store.accept(domain, asked);
    await store.begin(asked.jobId, Date.now());
    const event = {
      kind: 'retry',
      failure: 'network',
      retry: 1,
      maxRetries: 3,
      delayMs: 200,
      error: { code: 'NETWORK_ERROR', message: 'm' },
    } as const;
    expect(await store.attempts.retry(asked.jobId, 1, { event, spent: { network: 1 } })).toBe(true);
    expect(await store.read(asked.jobId)).toMatchObject({ state: 'delayed' });
    expect(await store.begin(asked.jobId, Date.now())).toMatchObject({ kind: 'begun', attempt: 2, spent: { network: 1 } });
  });
});

describe('ending', () => {
  test('the first end holds, whoever else tries', async () => {
    const asked = request(newCaller());
    await store.accept(domain, asked);
    const cancelled = ending({
      state: 'cancelled',
      outcome: { ok: false, error: { code: 'CANCELLED', family: 'CANCELLED', message: 'c' } },
    });
    expect(await store.finish({ jobId: asked.jobId, head: asked.head, ending: cancelled, attempt: null })).toBe('ended');
    expect(await store.finish({ jobId: asked.jobId, head: asked.head, ending: ending(), attempt: null })).toBe('ended-before');
    expect(await store.begin(asked.jobId, Date.now())).toEqual({ kind: 'ended' });
    expect((await store.read(asked.jobId))?.ending).toEqual(cancelled);
  });

  test('a call that was joined is left alone by one who gives up', async () => {
    const caller = newCaller();
    const first = request(caller, { idempotencyKey: 'j' });
    await store.accept(domain, first);
    await store.accept(domain, request(caller, { idempotencyKey: 'j' }));
    expect(await store.finish({ jobId: first.jobId, head: first.head, ending: ending(), attempt: null, unlessJoined: true })).toBe(
      'joined',
    );
    expect((await store.read(first.jobId))?.ending).toBeNull();
  });

  test('under any order of steps there is one end, the log is gapless, and the counts come back to zero', async () => {
    const step = fc.constantFrom('begin', 'progress', 'retry', 'finish', 'cancel', 'stale-finish');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const caller = newCaller();
        const asked = request(caller);
        await store.accept(domain, asked);
        let attempt = 0;
        let ended = 0;
        for (const one of [...steps, 'cancel']) {
          const { jobId, head } = asked;
          if (one === 'begin') attempt = (await store.begin(jobId, Date.now())).kind === 'begun' ? attempt + 1 : attempt;
          if (one === 'progress') await store.attempts.progress(jobId, attempt, { kind: 'progress', progress: 1, message: '' });
          if (one === 'retry')
            await store.attempts.retry(jobId, attempt, {
              event: {
                kind: 'retry',
                failure: 'network',
                retry: 1,
                maxRetries: 1,
                delayMs: 1,
                error: { code: 'NETWORK_ERROR', message: '' },
              },
              spent: { network: 1 },
            });
          if (one === 'finish' && attempt > 0)
            ended += (await store.finish({ jobId, head, ending: ending(), attempt })) === 'ended' ? 1 : 0;
          if (one === 'stale-finish' && attempt > 1)
            ended += (await store.finish({ jobId, head, ending: ending(), attempt: attempt - 1 })) === 'ended' ? 1 : 0;
          if (one === 'cancel')
            ended += (await store.finish({ jobId, head, ending: ending({ state: 'cancelled' }), attempt: null })) === 'ended' ? 1 : 0;
        }
        const events = await log.readAfter(asked.jobId, 0);
        expect(ended).toBe(1);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 2));
        // The end is stored where anything is.
        expect(events.filter(({ kind }) => kind === 'end')).toHaveLength(events.length > 0 ? 1 : 0);
        expect(events.at(-1)?.kind).toBe(events.length > 0 ? 'end' : undefined);
        expect((await store.read(asked.jobId))?.lastSeq).toBe(Math.max(2, events.length + 1));
        expect(await redis.hget(keys.openByTenant(partitionOf('profile')), caller.tenantId)).toBeNull();
        expect(await redis.zscore(keys.open(partitionOf('profile')), asked.jobId)).toBeNull();
      }),
      { numRuns: 60 },
    );
  });
});
