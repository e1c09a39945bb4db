import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Worker } from 'bullmq';
import fc from 'fast-check';
import { domains, type Domain } from '#lib/contracts';
import { givenStores, newNamespace, testRedis } from '#lib/testing';
import { workerConnection } from '../redis/connections.js';
import { queuedJob, type JobData, type QueuedJob } from './queued-job.js';
import { ToolQueues } from '../queue/tool-queue.js';
import { ending, newCaller, request, storeOn } from './test-invocations.js';
import { newJobId, partitionNamed, partitionOf } from '../redis/partition.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, store } = storeOn(redis, namespace);
const queues = new ToolQueues(redis, keys);
const connection = workerConnection({ REDIS_URL: givenStores().redisUrl });
/** Without a function: their jobs are taken by hand. */
const workers = [0, 3].map((index) => {
  const partition = partitionOf('profile', index);
  return new Worker<JobData, string>(partition, null, { connection, prefix: keys.queuePrefix(partition) });
});
let worker = workers[0];
const domain: Domain = { ...domains.profile, concurrency: 4 };
const token = 'by hand';

afterAll(async () => {
  await Promise.all(workers.map((one) => one.close()));
  connection.disconnect();
  await queues.close();
  await redis[Symbol.asyncDispose]();
});

/** Lets a call of `tenant` or `tenant:user` in; it is still to be enqueued. */
async function letIn(name: string): Promise<QueuedJob> {
  const [tenantId = '', userId = null] = name.split(':');
  const jobId = newJobId(partitionNamed(worker?.name ?? ''));
  const asked = request({ ...newCaller(), tenantId, userId }, { jobId });
  const accepted = await store.accept(domain, asked);
  if (accepted.kind !== 'created') throw new Error(accepted.kind);
  return queuedJob({ ...asked, contract: undefined, round: accepted.round });
}

async function send(callers: readonly string[]): Promise<void> {
  for (const name of callers) await queues.add(await letIn(name));
}

/** Takes up to so many calls up and ends them. Gives back whose they were. */
async function take(most = Infinity): Promise<readonly string[]> {
  const taken: string[] = [];
  while (taken.length < most) {
    const job = await worker?.getNextJob(token, { block: false });
    const record = job?.id === undefined ? null : await store.read(job.id);
    if (!job || !record) break;
    const { tenantId, userId } = record.head.caller;
    taken.push(userId === null ? tenantId : `${tenantId}:${userId}`);
    await store.finish({ jobId: record.jobId, head: record.head, ending: ending(), attempt: null });
    await job.moveToCompleted('done', token, false);
  }
  return taken;
}

function times<T>(count: number, one: T): T[] {
  return Array.from({ length: count }, () => one);
}

describe.each([0, 1])('calls that wait for each other, in partition %i of two', (place) => {
  beforeEach(async () => {
    worker = workers[place];
    await take();
  });

  test('those of a tenant with a few do not wait for the many of another', async () => {
    await send([...times(40, 'many'), ...times(3, 'few')]);
    // The first four did not have to wait.
    expect(await take(4)).toEqual(times(4, 'many'));
    expect(await take(6)).toEqual(['many', 'few', 'few', 'many', 'few', 'many']);
    expect(await take()).toEqual(times(33, 'many'));
  });

  test('those of a user with a few do not wait for the many of another user of the tenant', async () => {
    await send([...times(40, 't:many'), 't:few', 't:one']);
    await take(4);
    expect(await take(5)).toEqual(['t:many', 't:few', 't:many', 't:one', 't:many']);
    expect(await take()).toEqual(times(33, 't:many'));
  });

  test('a tenant of many users takes two places in a round, as every other', async () => {
    await send([...Array.from({ length: 40 }, (_, user) => `crowd:${user}`), 'lone']);
    await take(4);
    expect((await take(4)).filter((name) => name === 'lone')).toHaveLength(1);
    await take();
  });

  test('whoever comes later begins at the round that is being taken up', async () => {
    await send(times(12, 'a'));
    await take(8);
    await send(['b', 'b', 'b']);
    expect(await take()).toEqual(['a', 'b', 'b', 'a', 'b', 'a', 'a']);
  });

  test('what is still on its way to the queue is not overtaken when nobody waits there any more', async () => {
    await send(times(40, 'a'));
    const held = [];
    for (const name of times(5, 'a:held')) held.push(await letIn(name));
    await take();
    await send(times(3, 'b'));
    for (const job of held) await queues.add(job);
    expect(await take()).toEqual([...times(4, 'a:held'), 'b', 'a:held', 'b', 'b']);
  });

  test('a tenant that had many is no worse off once nobody waits', async () => {
    await send(times(40, 'a'));
    await take();
    await send([...times(4, 'c'), 'a', 'b', 'b']);
    expect(await take()).toEqual([...times(4, 'c'), 'a', 'b', 'b']);
  });

  test('whatever comes, nobody is passed over more than twice by each other tenant', async () => {
    const names = fc.constantFrom('a', 'b:1', 'b:2', 'c:1', 'c:2', 'c:3');
    await fc.assert(
      fc.asyncProperty(fc.array(names, { minLength: 5, maxLength: 40 }), async (callers) => {
        await send(callers);
        await take(domain.concurrency);
        await send(['lone']);
        const before = (await take()).findIndex((name) => name === 'lone');
        const waiting = new Set(callers.slice(domain.concurrency).map((name) => name.split(':')[0]));
        expect(before).toBeLessThanOrEqual(2 * waiting.size);
      }),
      { numRuns: 20 },
    );
  });
});
