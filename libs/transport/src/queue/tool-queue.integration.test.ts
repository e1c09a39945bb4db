import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { calcMetrics, domains } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { RedisKeys } from '../redis/redis-keys.js';
import { partitionOf } from '../redis/partition.js';
import { newCaller, request } from '../record/test-invocations.js';
import { queuedJob } from '../record/queued-job.js';
import { ToolQueues } from './tool-queue.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const queues = new ToolQueues(redis, new RedisKeys(namespace));
const queue = queues.queue(partitionOf('profile'));

beforeEach(() => queue.obliterate({ force: true }));
afterAll(async () => {
  await queues.close();
  await redis[Symbol.asyncDispose]();
});

const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
function jobOf({ round = 0, contract }: { round?: number; contract?: typeof calcMetrics } = {}) {
  const { jobId, head } = request(newCaller(), { head: { input: body } });
  return queuedJob({ jobId, head, contract, round });
}

describe('what the board shows of a call', () => {
  test('has its sensitive parameters masked', () => {
    const { shown } = jobOf({ contract: calcMetrics });
    expect(Object.keys(Object(shown.input))).toEqual(Object.keys(body));
    expect(JSON.stringify(shown.input)).not.toContain('175');
  });

  test('has no parameters when the tool is not known here', () => expect(jobOf().shown.input).toBeNull());
});

describe('the queue', () => {
  test('takes a job once, however often it is added', async () => {
    const job = jobOf();
    for (let time = 0; time < 3; time++) await queues.add(job);
    expect(await queue.getJobCountByTypes('waiting', 'prioritized')).toBe(1);
    expect(await queues.stateOf(job.jobId)).toBe('waiting');
  });

  test('gives the attempts and the name of the tool on', async () => {
    const job = jobOf();
    await queues.add(job);
    expect(await queue.getJob(job.jobId)).toMatchObject({ name: 'calc_metrics', opts: { attempts: 2, backoff: { type: 'custom' } } });
  });

  test('puts calls of later rounds behind those of earlier ones', async () => {
    const [third, first, second] = [jobOf({ round: 3 }), jobOf({ round: 1 }), jobOf({ round: 2 })];
    for (const job of [third, first, second]) await queues.add(job);
    expect((await queue.getPrioritized()).map(({ id }) => id)).toEqual([first.jobId, second.jobId, third.jobId]);
  });

  test('counts a tool’s own priority as further rounds', () => {
    expect(jobOf({ round: 2, contract: { ...calcMetrics, priority: 3 } }).priority).toBe(5);
    expect(jobOf({ round: 2 }).priority).toBe(2);
  });

  test('drops a job that has not started', async () => {
    const job = jobOf();
    await queues.add(job);
    await queues.drop(job.jobId);
    expect(await queues.stateOf(job.jobId)).toBe('unknown');
  });

  test('is there once for each domain, and for no other', () => {
    expect(queues.all().map(({ name }) => name)).toEqual(Object.keys(domains));
    expect(() => queues.queue(partitionOf('nowhere'))).toThrow('No queue for the domain "nowhere"');
  });
});
