// What people decide about a call that rests for them: one script lets it run, one ends it, and the first that comes holds.
import { afterAll, expect, test } from '@jest/globals';
import type { Decision } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { newCaller, request } from './test-invocations.js';
import { hourMs, restingOn } from './test-resting-calls.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, store, domain, partition, resting, recordOf, wakeOf, finish, placesOf, kindsOf, atRest, waiting } = restingOn(
  redis,
  namespace,
);

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

const accept: Decision = { request: 'r1', action: 'accept', by: 't/boss', at: 5 };
const forApproval = () =>
  resting(undefined, { rest: { reason: 'approval', until: Date.now() + hourMs, inputRequest: 'r1' }, deadline: Date.now() + 7_000 });

test('a call that rests for a decision says what is asked, and nothing but a decision lets it run', async () => {
  const { jobId, head } = await forApproval();
  expect(await recordOf(jobId)).toMatchObject({ state: 'resting', rest: { reason: 'approval', inputRequest: 'r1' }, decision: null });
  expect(await (await wakeOf(jobId))()).toBe('late');
  expect(await placesOf(jobId, head.caller)).toEqual(atRest);
  expect(await (await wakeOf(jobId, store, { decision: accept }))()).toBe('woken');
  expect(await placesOf(jobId, head.caller)).toEqual(waiting);
  expect(await recordOf(jobId)).toMatchObject({ state: 'waiting', rest: null, decision: accept, head });
  expect(await kindsOf(jobId)).toEqual(['resting', 'resumed']);
});

test('it may run with other parameters, which are signed and count among the bytes of the tenant', async () => {
  const { jobId, head } = await forApproval();
  const held = Number(await redis.hget(keys.held(partition, head.caller.tenantId), 'sum'));
  const changed = { ...head, input: { order: 'x'.repeat(5_000) }, editedBy: 't/boss' };
  await (
    await wakeOf(jobId, store, { decision: { ...accept, edited: true }, head: changed })
  )();
  expect(Number(await redis.hget(keys.held(partition, head.caller.tenantId), 'sum'))).toBeGreaterThan(held + 4_900);
  expect(await store.begin(jobId, Date.now())).toMatchObject({ kind: 'begun', head: changed });
});

test('of two who decide at once, with the end of the rest and a cancel, one wins', async () => {
  for (let round = 0; round < 20; round++) {
    const asked = await forApproval();
    const { jobId } = asked;
    const wakes = await Promise.all(['a', 'b'].map(async (by) => wakeOf(jobId, store, { decision: { ...accept, by } })));
    const all = [
      ...wakes.map((wake) => async () => (await wake()) === 'woken'),
      async () => (await finish(asked, { atRest: 1 })) === 'ended',
      async () => (await finish(asked, { atRest: 1 })) === 'ended',
    ];
    const won = await Promise.all(all.toSorted(() => Math.random() - 0.5).map(async (one) => one()));
    expect(won.filter(Boolean)).toHaveLength(1);
    const { state, decision } = await recordOf(jobId);
    expect(state === 'waiting' ? ['a', 'b'].includes(decision?.by ?? '') : state === 'cancelled').toBe(true);
    await finish(asked);
  }
});

test('an end for one rest leaves the call alone when it runs, and when it rests again', async () => {
  const asked = await forApproval();
  await (
    await wakeOf(asked.jobId, store, { decision: accept })
  )();
  expect(await finish(asked, { atRest: 1 })).toBe('fenced');
  expect((await recordOf(asked.jobId)).state).toBe('waiting');
});

test('one that is approved before its time rests on until then, once, and wakes by itself', async () => {
  const dayMs = 24 * hourMs;
  const until = Date.now() + 3 * dayMs;
  const rest = { reason: 'approval', until: Date.now() + hourMs, inputRequest: 'r1' } as const;
  const asked = request(newCaller(), { rest, deadline: Date.now() + 7_000 });
  await store.accept(domain, { ...asked, head: { ...asked.head, runAt: until } });
  const { jobId, head } = asked;
  const lifeMs = await redis.pttl(keys.invocation(jobId));
  expect(lifeMs).toBeGreaterThan(3 * dayMs);
  const changed = { ...head, runAt: until, input: { order: 'x'.repeat(1_000) }, editedBy: 't/boss' };
  const wakes = await Promise.all(
    ['a', 'b'].map(async (by) => wakeOf(jobId, store, { decision: { ...accept, by }, head: changed, restsUntil: until })),
  );
  expect(new Set(await Promise.all(wakes.map(async (wake) => wake())))).toEqual(new Set(['late', 'woken']));
  expect(await recordOf(jobId)).toMatchObject({
    state: 'resting',
    rest: { reason: 'scheduled', until, number: 2 },
    head: changed,
    decision: { action: 'accept' },
  });
  expect(await placesOf(jobId, head.caller)).toEqual(atRest);
  expect(await redis.pttl(keys.invocation(jobId))).toBeGreaterThan(3 * dayMs);
  expect(await store.resting.due(partition, until - 1, 100)).toMatchObject({ jobIds: expect.not.arrayContaining([jobId]) });
  expect(await store.resting.due(partition, until, 100)).toMatchObject({ jobIds: expect.arrayContaining([jobId]) });
  // Who decided for the first rest is late for this one.
  expect(await finish(asked, { atRest: 1 })).toBe('fenced');
  expect(await (await wakeOf(jobId))()).toBe('woken');
  expect(await placesOf(jobId, head.caller)).toEqual(waiting);
  expect(await kindsOf(jobId)).toEqual(['resting', 'resting', 'resumed']);
});
