// What webhooks are told of calls beside the history.
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { newNamespace, testRedis } from '#lib/testing';
import { OutboxEntries } from '../past/outbox-entries.js';
import type { AcceptRequest } from './acceptance.js';
import { newCaller, request } from './test-invocations.js';
import { restingOn } from './test-resting-calls.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, store, domain, partition, later, finish } = restingOn(redis, namespace);
const entries = new OutboxEntries(redis, keys);

afterEach(async () => void (await redis.del(keys.outbox(partition), keys.endedCalls(partition), keys.endedCallsLost(partition))));
afterAll(async () => redis[Symbol.asyncDispose]());

async function accepted(hooked: boolean, rest: Omit<Partial<AcceptRequest>, 'head'> = {}, caller = newCaller()): Promise<AcceptRequest> {
  const asked = request(caller, rest);
  const marked = { ...asked, head: { ...asked.head, ...(hooked && { hooked }) } };
  await store.accept(domain, marked);
  return marked;
}

/** As many ended calls as the history waits for. */
const fill = async () => {
  const add = `for i = 1, tonumber(ARGV[1]) do redis.call('XADD', KEYS[1], '*', 'calls', '[]') end`;
  for (let n = 0; n < 20; n++) await redis.eval(add, 1, keys.endedCalls(partition), 10_000);
};

test('A call that has ended and finds no room in the history has room there, if webhooks may tell of it', async () => {
  await fill();
  const [hooked, other] = [await accepted(true), await accepted(false)];
  for (const one of [hooked, other]) await finish(one);
  const read = await entries.read(partition, 10);
  expect(read).toMatchObject([{ rested: null, ended: [{ job_id: hooked.jobId, state: 'cancelled' }] }]);
  expect(await redis.get(keys.endedCallsLost(partition))).toBe('1');
  await entries.drop(partition, read);
  expect(await entries.read(partition, 10)).toEqual([]);
});

test('A call leaves nothing there where the history has room', async () => {
  await finish(await accepted(true));
  expect([await entries.read(partition, 10), await redis.xlen(keys.endedCalls(partition))]).toEqual([[], 1]);
});

test('A call that goes to rest is there, if webhooks may tell of it, and once however often it is asked', async () => {
  const caller = newCaller();
  const hooked = await accepted(true, { rest: later(), idempotencyKey: 'k' }, caller);
  await accepted(true, { rest: later(), idempotencyKey: 'k' }, caller);
  await accepted(false, { rest: later() });
  const [entry, ...more] = await entries.read(partition, 10);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ rested: { job_id: hooked.jobId, reason: 'scheduled', input_request: null }, ended: [] });
});

test('An entry that is none of ours says nothing, and keeps no other back', async () => {
  for (const [name, value] of [
    ['rest', '{'],
    ['rest', '{"job_id":1}'],
    ['calls', 'null'],
    ['other', '[]'],
  ] as const)
    await redis.xadd(keys.outbox(partition), '*', name, value);
  const { jobId } = await accepted(true, { rest: later() });
  const read = await entries.read(partition, 10);
  expect(read.slice(0, 4)).toEqual(read.slice(0, 4).map(({ id }) => ({ id, rested: null, ended: [] })));
  expect(read[4]?.rested?.job_id).toBe(jobId);
});
