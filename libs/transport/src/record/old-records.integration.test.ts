// During a deployment the scripts of two versions work on one record. These are the fields that the first version wrote, as text.
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { domains, principal } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { newJobId, partitionOf } from '../redis/partition.js';
import { dayMs, ending, newCaller, request, storeOn } from './test-invocations.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, store, log, sealer } = storeOn(redis, namespace);

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

let jobId = '';
let head = request(newCaller()).head;

/** A waiting record of the first version. */
beforeEach(async () => {
  jobId = newJobId(partitionOf('profile'));
  ({ head } = request(newCaller()));
  const text = JSON.stringify(head);
  const deadline = String(Date.now() + dayMs);
  const mac = sealer.sign(jobId + text);
  await redis.hset(keys.invocation(jobId), { head: text, mac, state: 'waiting', deadline, runs: '0', seq: '1' });
  await redis.xadd(keys.events(jobId), '1-0', 'at', '1795264433645', 'event', '{"kind":"progress","progress":0,"message":"Starting"}');
  await redis.zadd(keys.open(partitionOf('profile')), deadline, jobId);
  await redis.hset(keys.openByTenant(partitionOf('profile')), head.caller.tenantId, '1');
});

const active = { state: 'active', runs: '1', startedAt: '1795264433658', wrote: ' 7 8 ' };

describe('a record of the first version', () => {
  test('is read, and its events are', async () => {
    expect(await store.read(jobId)).toMatchObject({ state: 'waiting', head, attempts: 0, lastSeq: 1, startedAt: null, ending: null });
    expect(await log.readAfter(jobId, 0)).toMatchObject([{ seq: 1, at: 1_795_264_433_645, message: 'Starting' }]);
  });

  test('is run and ended', async () => {
    expect(await store.begin(jobId, Date.now())).toMatchObject({ kind: 'begun', attempt: 1, head, spent: {} });
    expect(await store.attempts.output(jobId, 1, ['a'])).toBe(true);
    expect(await store.finish({ jobId, head, ending: ending(), attempt: 1 })).toBe('ended');
    expect((await log.readAfter(jobId, 1)).map(({ seq, kind }) => [seq, kind])).toEqual([
      [2, 'output'],
      [3, 'end'],
    ]);
    expect(await redis.hget(keys.openByTenant(partitionOf('profile')), head.caller.tenantId)).toBeNull();
    // It took no bytes, so it gives none back.
    expect(await redis.exists(keys.held(partitionOf('profile'), head.caller.tenantId))).toBe(0);
  });

  test.each([
    ['knows no listeners', null],
    ['has one of a version that stored first entries', 'older'],
    ['has one of that version, and then one of this', `older ${store.listener}`],
  ])('that %s keeps its log whole: who waits for a stored end finds it', async (_name, listeners) => {
    if (listeners) await redis.hset(keys.invocation(jobId), { listeners });
    await store.begin(jobId, Date.now());
    expect(await store.finish({ jobId, head, ending: ending(), attempt: 1 })).toBe('ended');
    expect((await log.readAfter(jobId, 0)).map(({ seq, kind }) => [seq, kind])).toEqual([
      [1, 'progress'],
      [2, 'end'],
    ]);
    expect((await store.read(jobId))?.lastSeq).toBe(2);
    expect(await redis.pttl(keys.events(jobId))).toBeGreaterThan(dayMs - 60_000);
  });

  test('that is active keeps its run: the next one is later, and goes on with the retries that are used', async () => {
    await redis.hset(keys.invocation(jobId), { ...active, spent: '{"network":2}' });
    expect(await store.begin(jobId, Date.now())).toMatchObject({ attempt: 2, startedAt: 1_795_264_433_658, spent: { network: 2 } });
    expect(await store.attempts.progress(jobId, 1, { kind: 'progress', progress: 5, message: '' })).toBe(false);
  });

  test('that is active without numbers of writes takes its next one', async () => {
    await redis.hset(keys.invocation(jobId), active);
    await redis.hdel(keys.invocation(jobId), 'wrote');
    expect(await store.attempts.progress(jobId, 1, { kind: 'progress', progress: 5, message: '' })).toBe(true);
    expect(await redis.hget(keys.invocation(jobId), 'seq')).toBe('2');
  });

  test('that has ended stays as it ended', async () => {
    const ended = JSON.stringify(ending({ finishedAt: 1 }));
    await redis.hset(keys.invocation(jobId), { ...active, state: 'completed', ending: ended, endedBy: 'writer:3' });
    expect(await store.begin(jobId, Date.now())).toEqual({ kind: 'ended' });
    expect(await store.finish({ jobId, head, ending: ending(), attempt: 1 })).toBe('ended-before');
    expect((await store.read(jobId))?.ending).toEqual(ending({ finishedAt: 1 }));
  });

  test('that was ended without a name of the write cannot be ended again', async () => {
    await redis.hset(keys.invocation(jobId), { ...active, state: 'failed', ending: JSON.stringify(ending()) });
    expect(await store.finish({ jobId, head, ending: ending(), attempt: null })).toBe('ended-before');
  });

  test('is found and joined by its idempotency key', async () => {
    const asked = request(head.caller, { idempotencyKey: 'k', deadline: Date.now() + 2 * dayMs });
    const key = keys.idempotency(partitionOf('profile'), [principal(head.caller), 'calc_metrics', 'k']);
    await redis.set(key, `${jobId} f1`);
    expect(await store.accept(domains.profile, asked)).toEqual({ kind: 'replayed', jobId });
    expect(await redis.hmget(keys.invocation(jobId), 'joined', 'deadline')).toEqual(['1', String(asked.deadline)]);
  });
});

describe('what this version writes is what the first one wrote, and more beside it', () => {
  test('every field of a record is text of the same form', async () => {
    const asked = request(newCaller(), { deadline: 1_900_000_000_123, head: { createdAt: 1_795_264_433_645 } });
    await store.accept(domains.profile, asked);
    await store.begin(asked.jobId, 1_795_264_433_658);
    await store.attempts.progress(asked.jobId, 1, { kind: 'progress', progress: 40, message: 'm' });
    expect(await redis.hgetall(keys.invocation(asked.jobId))).toEqual({
      head: JSON.stringify(asked.head),
      mac: sealer.sign(asked.jobId + JSON.stringify(asked.head)),
      state: 'active',
      deadline: '1900000000123',
      runs: '1',
      seq: '2',
      startedAt: '1795264433658',
      wrote: expect.stringMatching(/^ \d+ $/),
      // Since bytes are counted: what the record holds, where, and until when.
      bytes: expect.stringMatching(/^\d+$/),
      logged: '47',
      heldKey: keys.held(partitionOf('profile'), asked.head.caller.tenantId),
      heldHour: String(Math.ceil((1_795_264_433_645 + 2 * dayMs) / 3_600_000)),
      progress: '{"progress":40,"message":"m"}',
      // Since a call tells those alone who follow it.
      listeners: store.listener,
    });
    expect(await redis.xrange(keys.events(asked.jobId), '-', '+')).toEqual([
      ['2-0', ['at', expect.stringMatching(/^\d{13}$/), 'event', '{"kind":"progress","progress":40,"message":"m"}']],
    ]);
    expect(await redis.zscore(keys.open(partitionOf('profile')), asked.jobId)).toBe('1900000000123');
  });
});
