// One queue with its calls, worked by hand: who enqueues and who works is either BullMQ's own scripts or ours.
import { createRedisBackend, Job, Worker, type RedisQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';
import { domains } from '#lib/contracts';
import type { Acceptance } from '../record/acceptance.js';
import type { BeginResult } from '../record/begin-result.js';
import type { Ending } from '../record/codec.js';
import type { EndedJob } from '../record/end-call.js';
import type { FinishRequest } from '../record/finish-result.js';
import { ending, request, storeOn } from '../record/test-invocations.js';
import { queuedJob, type JobData } from '../record/queued-job.js';
import { freeHeld } from './free-held.js';
import { ToolQueues } from './tool-queue.js';
import { partitionOf } from '../redis/partition.js';
import type { TurnResult } from '../record/turns.js';

export interface Mix {
  readonly enqueues: 'stock' | 'invoq';
  readonly works: 'stock' | 'invoq';
}

const caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' } as const;
/** Everything is accepted as if this were the hour. */
const domain = domains.profile;

type TakenJob = Job<JobData, string>;
type RequestParts = Parameters<typeof request>[1];

export function pathsOn(redis: Redis, namespace: string, { enqueues, works }: Mix) {
  const { keys, store, log } = storeOn(redis, namespace);
  const queues = new ToolQueues(redis, keys, ['profile']);
  const queue = queues.queue(partitionOf('profile'));
  const connection = redis.duplicate({ maxRetriesPerRequest: null });
  const worker = new Worker<JobData, string, string, RedisQueueBackend>('profile', null, {
    connection,
    prefix: keys.queuePrefix(partitionOf('profile')),
    lockDuration: domain.lockMs,
    settings: { backoffStrategy: () => 1 },
  });
  const backend = createRedisBackend('profile', worker.opts);
  const jobIds: string[] = [];
  const ended: string[] = [];
  const begun = new Map<string, BeginResult>();

  /** Lets a call in and enqueues its job. */
  async function accept({
    round = 0,
    maxAttempts = 2,
    ...rest
  }: RequestParts & { round?: number; maxAttempts?: number } = {}): Promise<string> {
    const asked = request(caller, { ...rest, head: { maxAttempts, ...rest.head } });
    const { jobId, head } = asked;
    jobIds.push(jobId);
    // As a tool's own priority, which is so many rounds.
    const job = { ...queuedJob({ jobId, head, contract: undefined }), priority: round };
    const accepted: Acceptance = await store.accept(domain, { ...asked, job: enqueues === 'invoq' ? job : undefined });
    if (accepted.kind !== 'created') throw new Error(accepted.kind);
    if (enqueues === 'stock') {
      await queues.add({ ...job, priority: round + accepted.round });
      await store.open.enqueued(jobId);
    }
    return jobId;
  }

  /** The next job, or undefined; its attempt has begun. */
  async function take(token = 'token'): Promise<TakenJob | undefined> {
    const look = async (): Promise<TakenJob | undefined> => worker.getNextJob(token, { block: false });
    if (works === 'invoq') return taken(await turn([], token, true), token);
    // A worker that was told that nothing else waits sleeps first, and here nobody sleeps.
    const job = (await look()) ?? (await look());
    if (job) await begin(job.id ?? '');
    return job;
  }

  /** What a worker does between its attempts. */
  async function turn(ends: readonly EndedJob[], token: string, takes: boolean): Promise<TurnResult> {
    return store.turn(partitionOf('profile'), ends, { workerId: 'w', token, lockMs: domain.lockMs, want: takes ? 1 : 0 });
  }

  async function taken({ taken: found }: TurnResult, token: string): Promise<TakenJob | undefined> {
    if (found.kind === 'stock') {
      const job = await worker.getNextJob(token, { block: false });
      if (job) await begin(job.id ?? '');
      return job;
    }
    const [first] = found.jobs;
    if (!first) return undefined;
    if (first.begun) begun.set(first.jobId, first.begun);
    else await begin(first.jobId);
    return Job.fromId<JobData, string>(worker, first.jobId);
  }

  async function begin(jobId: string): Promise<void> {
    begun.set(jobId, await store.begin(jobId, Date.now()));
  }

  function endOf(jobId: string, end: Partial<Ending>): Pick<FinishRequest, 'jobId' | 'head' | 'ending' | 'attempt'> {
    const run = begun.get(jobId);
    if (run?.kind !== 'begun') throw new Error(`${jobId} does not run`);
    return { jobId, head: run.head, attempt: run.attempt, ending: ending({ startedAt: run.startedAt, ...end }) };
  }

  /** Ends the call and completes its job. @returns the job that was taken with it, if any */
  async function complete(
    job: TakenJob,
    { token = 'token', next = false, ...rest }: Partial<FinishRequest> & { token?: string; next?: boolean } = {},
  ): Promise<string | null> {
    const request = { ...endOf(job.id ?? '', {}), ...rest };
    if (works === 'invoq') {
      const ready = await store.readyEnd(request);
      const ends = ready ? [{ ready, completion: { attempts: job.attemptsMade + 1, returnValue: '"done"' } }] : [];
      const done = await turn(ends, token, next);
      ended.push(...done.finished.map(String));
      return (await taken(done, token))?.id ?? null;
    }
    ended.push(await store.finish(request));
    const after: unknown = await job.moveToCompleted('done', token, next);
    const nextId = Array.isArray(after) && typeof after[1] === 'string' ? after[1] : null;
    if (nextId !== null) await begin(nextId);
    return nextId;
  }

  /** Ends the call as failed, and its job with it. */
  async function fail(job: TakenJob, error: Error): Promise<void> {
    ended.push(await store.finish(endOf(job.id ?? '', { state: 'failed' })));
    await job.moveToFailed(error, 'token');
  }

  /** What BullMQ does in each of its checks. */
  async function checkStalled(): Promise<readonly string[]> {
    await redis.del(backend.keys['stalled-check'] ?? '');
    return backend.moveStalledJobsToWait();
  }

  /** What a worker does first when it is told of processes that have ended. @returns the jobs that it found stalled */
  async function freeHeldBy(...names: readonly string[]): Promise<readonly string[]> {
    await freeHeld(redis, keys, { partition: partitionOf('profile'), ended: names });
    return backend.moveStalledJobsToWait();
  }

  return {
    keys,
    store,
    log,
    queue,
    queues,
    jobIds,
    ended,
    accept,
    take,
    complete,
    fail,
    checkStalled,
    freeHeldBy,
    loseLock: async (jobId: string) => void (await redis.del(`${keys.job(jobId)}:lock`)),
    lockByAnother: async (jobId: string) => void (await redis.set(`${keys.job(jobId)}:lock`, 'another', 'PX', domain.lockMs)),
    [Symbol.asyncDispose]: async () => {
      await worker.close();
      await queues.close();
      connection.disconnect();
    },
  };
}

export type Paths = ReturnType<typeof pathsOn>;
