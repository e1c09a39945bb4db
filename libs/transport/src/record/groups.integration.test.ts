// Calls that go in groups leave what they leave one by one.
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { domains, type Domain } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import type { AcceptRequest } from './acceptance.js';
import { accept } from '../scripts/accept.js';
import { turn } from '../scripts/turn.js';
import { InvocationStore } from './invocation-store.js';
import { partitionOf } from '../redis/partition.js';
import { ending, newCaller, request, storeOn } from './test-invocations.js';
import { keyspaceOf } from './test-keyspace.js';
import { queuedJob } from './queued-job.js';

const main = newNamespace();
const redis = testRedis(main);
const partition = partitionOf('profile');
/** Few of everything, so that a handful of calls reaches each bound. */
const domain: Domain = { ...domains.profile, concurrency: 2, maxOpen: 8, tenantShare: 0.5 };

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

/** A call among others of few tenants, users and keys. */
const asked = fc.record({
  tenant: fc.integer({ min: 1, max: 3 }),
  user: fc.integer({ min: 1, max: 2 }),
  flight: fc.option(fc.constantFrom('f', 'g'), { nil: null }),
  cache: fc.option(fc.constantFrom('c', 'd'), { nil: null }),
  idempotencyKey: fc.option(fc.constantFrom('i', 'j'), { nil: null, freq: 3 }),
  fingerprint: fc.constantFrom('f1', 'f1', 'f2'),
  priority: fc.constantFrom(0, 0, 2),
  maxAhead: fc.constantFrom(undefined, 1, 3),
  laterMs: fc.integer({ min: 0, max: 3 }).map((hours) => hours * 3_600_000),
});
type Asked = typeof asked extends fc.Arbitrary<infer Call> ? Call : never;

const at = Date.now();

/** Of the worker. */
const places = 3;

function requestOf({ tenant, user, flight, cache, laterMs, priority, ...rest }: Asked, jobId: string): AcceptRequest {
  const caller = { ...newCaller(), tenantId: `t${tenant}`, userId: `u${user}` };
  const wish = { ...rest, jobId, readCache: cache !== null, deadline: at + 60_000 + laterMs };
  const made = request(caller, { ...wish, head: { flightKey: flight, cacheKey: cache, createdAt: at } });
  return { ...made, job: { ...queuedJob({ jobId, head: made.head, contract: undefined }), priority } };
}

const jobIdOf = (index: number): string => `inv_profile_${String(index).padStart(32, '0')}`;

/** One after the other; in groups; or in groups where the worker offers its places first. */
type Way = 'alone' | 'together' | 'offered';

/** Lets calls in, in rounds; between them a worker takes some and ends them. */
async function walk(rounds: readonly (readonly Asked[])[], way: Way) {
  const together = way !== 'alone';
  const namespace = newNamespace();
  const { keys, sealer, files } = storeOn(redis, namespace);
  let scripts = 0;
  let handed = 0;
  const evalsha = async (sha: string, keyCount: number, ...rest: (string | number)[]): Promise<unknown> => {
    if (sha === accept.sha || sha === turn.sha) scripts += 1;
    return redis.evalsha(sha, keyCount, ...rest);
  };
  await using ears = new AsyncDisposableStack();
  if (way === 'offered') {
    const ear = ears.adopt(redis.duplicate(), (one) => one.disconnect());
    await ear.subscribe(keys.handed(domain.name, 'w'));
  }
  const counting = new Proxy(redis, { get: (target, name) => (name === 'evalsha' ? evalsha : Reflect.get(target, name)) });
  const store = new InvocationStore({ redis: counting, keys, sealer, files, now: () => at });
  const each = async <Item, Reply>(items: readonly Item[], work: (item: Item) => Promise<Reply>): Promise<readonly Reply[]> => {
    if (together) return Promise.all(items.map(work));
    const replies: Reply[] = [];
    for (const item of items) replies.push(await work(item));
    return replies;
  };
  const jobIds: string[] = [];
  const seen: unknown[] = [];
  for (const round of rounds) {
    const requests = round.map((one) => {
      jobIds.push(jobIdOf(jobIds.length));
      return requestOf(one, jobIds.at(-1) ?? '');
    });
    const taker = { workerId: 'w', token: 'token', lockMs: 5_000 };
    const offer = way === 'offered' ? await store.turn(partition, [], { ...taker, want: 0, offers: places }) : null;
    const accepted = await each(requests, async (one) => store.accept(domain, one));
    seen.push(accepted.map((one) => ({ ...one, head: undefined, leftMs: undefined })));
    const taken = [];
    // The worker hears of nothing, and finds it all.
    if (offer) taken.push(...(await store.turn(partition, [], { ...taker, want: 0, closes: { turn: offer.turn, known: [] } })).found);
    handed += taken.length;
    while (taken.length < places) {
      const jobs = jobsOf(await store.turn(partition, [], { ...taker, want: together ? places - taken.length : 1 }));
      if (jobs.length === 0) break;
      taken.push(...jobs);
    }
    seen.push(taken.map(({ jobId }) => jobId));
    const ends = [];
    for (const { jobId, begun } of taken) {
      if (begun?.kind !== 'begun') continue;
      const { head, attempt } = begun;
      const cache = head.cacheKey === null ? undefined : { lifeMs: 60_000, entry: { cachedAt: at, outcome: ending().outcome } };
      const ready = await store.readyEnd({ jobId, head, attempt, ending: ending({ finishedAt: at }), cache });
      if (ready) ends.push({ ready, completion: { attempts: 1, returnValue: '"done"' } });
    }
    const groups = together ? [ends] : ends.map((one) => [one]);
    for (const group of groups) seen.push(...(await store.turn(partition, group, { ...taker, want: 0 })).finished);
  }
  const left = await keyspaceOf(redis, namespace, jobIds);
  for (const key of await redis.keys(`{${namespace}:*`)) await redis.unlink(key);
  return { seen, left, scripts, handed };
}

function jobsOf({ taken }: Awaited<ReturnType<InvocationStore['turn']>>) {
  if (taken.kind !== 'jobs') throw new Error(taken.kind);
  return taken.jobs;
}

describe('a group', () => {
  test('leaves the keys that its calls leave one by one, and each gets the same answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(asked, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }), async (rounds) => {
        const [alone, together] = [await walk(rounds, 'alone'), await walk(rounds, 'together')];
        expect(together.seen).toEqual(alone.seen);
        expect(together.left).toEqual(alone.left);
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  test('leaves them also where its calls are handed to places that a worker has offered', async () => {
    let handed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(asked, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 }), async (rounds) => {
        const [alone, offered] = [await walk(rounds, 'alone'), await walk(rounds, 'offered')];
        expect(offered.seen).toEqual(alone.seen);
        expect(offered.left).toEqual(alone.left);
        handed += offered.handed;
      }),
      { numRuns: 60 },
    );
    expect(handed).toBeGreaterThan(60);
  }, 120_000);

  test('has up to sixteen calls, and one that comes alone is one', async () => {
    const one: Asked = {
      tenant: 1,
      user: 1,
      flight: null,
      cache: null,
      idempotencyKey: null,
      fingerprint: 'f1',
      priority: 0,
      maxAhead: undefined,
      laterMs: 0,
    };
    const namespace = newNamespace();
    const { keys, sealer, files } = storeOn(redis, namespace);
    let scripts = 0;
    const evalsha = async (sha: string, keyCount: number, ...rest: (string | number)[]): Promise<unknown> => {
      scripts += 1;
      return redis.evalsha(sha, keyCount, ...rest);
    };
    const counting = new Proxy(redis, { get: (target, name) => (name === 'evalsha' ? evalsha : Reflect.get(target, name)) });
    const store = new InvocationStore({ redis: counting, keys, sealer, files });
    await store.accept(domains.profile, requestOf(one, jobIdOf(0)));
    expect(scripts).toBe(1);
    await Promise.all(Array.from({ length: 33 }, async (_, index) => store.accept(domains.profile, requestOf(one, jobIdOf(index + 1)))));
    expect(scripts).toBe(1 + 3);
  });

  test('loses one call to a fault of that call, and no other', async () => {
    const namespace = newNamespace();
    const { keys, store } = storeOn(redis, namespace);
    const poisoned = request(newCaller(), { idempotencyKey: 'i' });
    const others = [request(newCaller()), request(newCaller())];
    const { tenantId } = poisoned.head.caller;
    // Of another type than what is asked for.
    await redis.lpush(keys.held(partition, tenantId), 'x');
    const replies = await Promise.allSettled(
      [others[0], poisoned, others[1]].map(async (one) => one && store.accept(domains.profile, one)),
    );
    expect(replies.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(replies[1]).toMatchObject({ reason: { name: 'ReplyError', message: expect.stringContaining('WRONGTYPE') } });
    expect(await store.open.count(partition)).toBe(2);
  });
});
