// Calls that a worker is handed as they are accepted.
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { domains } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { ToolQueues } from '../queue/tool-queue.js';
import { subscriberConnection } from '../redis/connections.js';
import { newJobId, partitionOf } from '../redis/partition.js';
import { accept } from '../scripts/accept.js';
import { offerMs } from '../scripts/offers.js';
import { turn } from '../scripts/turn.js';
import { InvocationStore } from './invocation-store.js';
import { queuedJob } from './queued-job.js';
import { ending, newCaller, request, storeOn } from './test-invocations.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, sealer, files, store } = storeOn(redis, namespace);
const subscriber = subscriberConnection({ REDIS_URL: process.env['REDIS_URL'] ?? '' });
const partition = partitionOf('profile', 1);
const queues = new ToolQueues(redis, keys);
const queue = queues.queue(partition);

/** Each test has a worker of its own. */
let tests = 0;
const taker = () => ({ workerId: `w-${tests}`, token: `w-${tests}`, lockMs: 5_000 });
const messages: string[] = [];
subscriber.on('message', (_channel, message) => void messages.push(message));

beforeEach(async () => {
  tests += 1;
  messages.length = 0;
  await subscriber.subscribe(keys.handed('profile', taker().workerId));
});
afterEach(async () => {
  await queue.obliterate({ force: true });
  await redis.del(keys.offer(partition));
});
afterAll(async () => {
  subscriber.disconnect();
  await queues.close();
  await redis[Symbol.asyncDispose]();
});

const offered = async (offers = 1) => store.turn(partition, [], { ...taker(), want: 0, offers });
const closed = async (number: number, known: readonly string[] = [], own = store) =>
  own.turn(partition, [], { ...taker(), want: 0, closes: { turn: number, known } });

async function accepted(own = store, priority = 0): Promise<string> {
  const asked = request(newCaller(), { jobId: newJobId(partition) });
  await own.accept(domains.profile, { ...asked, job: { ...queuedJob({ ...asked, contract: undefined }), priority } });
  return asked.jobId;
}

/** Each script of this kind is done twice before its reply arrives. */
function twice({ sha: asked }: { readonly sha: string }): InvocationStore {
  const evalsha = async (sha: string, keyCount: number, ...rest: (string | number)[]): Promise<unknown> => {
    if (sha === asked) await redis.evalsha(sha, keyCount, ...rest);
    return redis.evalsha(sha, keyCount, ...rest);
  };
  const unsure = new Proxy(redis, { get: (target, name) => (name === 'evalsha' ? evalsha : Reflect.get(target, name)) });
  return new InvocationStore({ redis: unsure, keys, sealer, files });
}

test.each([0, 3])('a call runs with the worker that has offered a place, and nobody else is woken (priority %i)', async (priority) => {
  await offered();
  const jobId = await accepted(store, priority);
  await eventually(() => messages.length > 0);
  expect(messages.flatMap((message) => store.handed(message))).toMatchObject([
    { jobId, begun: { kind: 'begun', attempt: 1, head: { tool: 'calc_metrics' } } },
  ]);
  expect(await store.read(jobId)).toMatchObject({ state: 'active', attempts: 1 });
  expect(await queues.stateOf(jobId)).toBe('active');
  expect(await redis.get(`${keys.job(jobId)}:lock`)).toBe(taker().token);
  expect(await redis.exists(keys.queue(partition, 'marker'), keys.offer(partition))).toBe(0);
});

test('a worker that does not listen any more is handed nothing: its calls would wait until its locks are over', async () => {
  await offered();
  await subscriber.unsubscribe(keys.handed('profile', taker().workerId));
  expect(await queues.stateOf(await accepted())).toBe('waiting');
  expect(await redis.exists(keys.queue(partition, 'marker'))).toBe(1);
});

test('as many are handed over as places were offered', async () => {
  await offered(3);
  const ids = [await accepted(), ...(await Promise.all([accepted(), accepted()])), await accepted()];
  expect(await Promise.all(ids.map((id) => queues.stateOf(id)))).toEqual(['active', 'active', 'active', 'waiting']);
  expect(await redis.exists(keys.queue(partition, 'marker'))).toBe(1);
});

test('a group that is larger goes through the queue', async () => {
  await offered(2);
  const ids = await Promise.all([accepted(), accepted(), accepted()]);
  expect(await Promise.all(ids.map((id) => queues.stateOf(id)))).toEqual(['waiting', 'waiting', 'waiting']);
});

test.each(['wait', 'prioritized'])('a call that comes after others waits with them (%s)', async (where) => {
  const before = await accepted(store, where === 'wait' ? 0 : 3);
  await offered(2);
  const after = await accepted();
  expect(await Promise.all([before, after].map((id) => redis.exists(`${keys.job(id)}:lock`)))).toEqual([0, 0]);
});

test('nothing is handed over by an offer that is older than its life', async () => {
  await offered();
  await sleep(offerMs + 20);
  expect(await queues.stateOf(await accepted())).toBe('waiting');
});

test('nothing is handed over once the offer is taken back, and only its worker does that', async () => {
  const { turn: number } = await offered();
  await store.turn(partition, [], { workerId: 'another', token: 'another', lockMs: 5_000, want: 0, closes: { turn: 1, known: [] } });
  expect(await redis.exists(keys.offer(partition))).toBe(1);
  expect((await closed(number)).found).toEqual([]);
  expect(await queues.stateOf(await accepted())).toBe('waiting');
});

test('a paused queue hands nothing over', async () => {
  await offered();
  await queue.pause();
  const jobId = await accepted();
  await queue.resume();
  expect(await redis.exists(`${keys.job(jobId)}:lock`)).toBe(0);
});

test('a call whose tool is paused is handed over as one that has not begun', async () => {
  await redis.hset(keys.queue(partition, 'meta'), 'invoq:pauses', '1 [{"id":"1","name":"n","why":"w"}]');
  const { turn: number } = await offered();
  const jobId = await accepted();
  await redis.hdel(keys.queue(partition, 'meta'), 'invoq:pauses');
  expect((await closed(number)).found).toEqual([{ jobId, begun: null }]);
});

test('the next turn finds what was handed over and not heard of, and is told the same when it is sent again', async () => {
  const { turn: number } = await offered(3);
  const [heard, lost, elsewhere] = [await accepted(), await accepted(), await accepted()];
  await redis.set(`${keys.job(elsewhere)}:lock`, 'another', 'PX', 5_000);
  const { found } = await closed(number, [heard], twice(turn));
  expect(found).toMatchObject([{ jobId: lost, begun: { kind: 'begun', attempt: 1 } }]);
  expect(await store.read(lost)).toMatchObject({ attempts: 1 });
});

test('a turn that takes jobs too, and is sent again, finds and takes each once', async () => {
  const { turn: number } = await offered();
  const lost = await accepted();
  const [first, second] = [await accepted(), await accepted()];
  const wish = { ...taker(), want: 1, closes: { turn: number, known: [] } };
  const { found, taken } = await twice(turn).turn(partition, [], wish);
  expect(found).toMatchObject([{ jobId: lost }]);
  expect(taken).toMatchObject({ jobs: [{ jobId: first }], more: true });
  expect(await queues.stateOf(second)).toBe('waiting');
});

/** Each turn is done, then a call comes, and the turn is sent again. */
function late(): { readonly own: InvocationStore; readonly came: string[] } {
  const came: string[] = [];
  const evalsha = async (sha: string, keyCount: number, ...rest: (string | number)[]): Promise<unknown> => {
    if (sha !== turn.sha) return redis.evalsha(sha, keyCount, ...rest);
    await redis.evalsha(sha, keyCount, ...rest);
    came.push(await accepted());
    return redis.evalsha(sha, keyCount, ...rest);
  };
  const unsure = new Proxy(redis, { get: (target, name) => (name === 'evalsha' ? evalsha : Reflect.get(target, name)) });
  return { own: new InvocationStore({ redis: unsure, keys, sealer, files }), came };
}

test('a turn that offers and takes is told of its own jobs alone when it is sent again late', async () => {
  const first = await accepted();
  const { own, came } = late();
  const { turn: number, taken, found } = await own.turn(partition, [], { ...taker(), want: 1, offers: 1 });
  expect({ taken, found }).toMatchObject({ taken: { jobs: [{ jobId: first }] }, found: [] });
  expect((await closed(number, [])).found).toMatchObject([{ jobId: came[0] }]);
});

test('a turn that finds and offers anew finds the same when it is sent again late', async () => {
  const { turn: number } = await offered();
  const lost = await accepted();
  const { own, came } = late();
  const again = await own.turn(partition, [], { ...taker(), want: 0, offers: 1, closes: { turn: number, known: [] } });
  expect(again.found).toMatchObject([{ jobId: lost }]);
  expect((await closed(again.turn)).found).toMatchObject([{ jobId: came[0] }]);
});

test('a call that is let in twice is handed over once', async () => {
  await offered(2);
  const jobId = await accepted(twice(accept));
  await eventually(() => messages.length > 0);
  expect(messages.flatMap((message) => store.handed(message).map((job) => job.jobId))).toEqual([jobId]);
  expect(await redis.get(keys.offer(partition))).toMatch(/ 1$/);
});

test('its end completes its job, and is found by nobody afterwards', async () => {
  const { turn: number } = await offered();
  const jobId = await accepted();
  const record = await store.read(jobId);
  const ready = record && (await store.readyEnd({ jobId, head: record.head, ending: ending(), attempt: 1 }));
  const ends = ready ? [{ ready, completion: { attempts: 1, returnValue: '"done"' } }] : [];
  const wish = { ...taker(), want: 0, offers: 1, closes: { turn: number, known: [] } };
  expect(await store.turn(partition, ends, wish)).toMatchObject({ finished: ['ended'], found: [] });
  expect(await queues.stateOf(jobId)).toBe('completed');
});
