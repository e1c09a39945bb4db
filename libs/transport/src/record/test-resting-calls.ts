// Calls that rest and calls that run, for tests of this room.
import { expect } from '@jest/globals';
import type { Redis } from 'ioredis';
import { domains, type Caller } from '#lib/contracts';
import { partitionOf } from '../redis/partition.js';
import type { AcceptRequest } from './acceptance.js';
import { queuedJob } from './queued-job.js';
import type { WakeRequest } from './resting-calls.js';
import { ending, newCaller, request, storeOn } from './test-invocations.js';

export const hourMs = 3_600_000;
export const taker = { workerId: 'w1', token: 'lock', lockMs: 60_000, want: 16 };

export function restingOn(redis: Redis, namespace: string) {
  const parts = storeOn(redis, namespace);
  const { keys, store, log } = parts;
  const domain = domains.profile;
  const partition = partitionOf('profile');

  const later = (ms = hourMs) => ({ reason: 'scheduled', until: Date.now() + ms }) as const;

  /** A call that rests from its acceptance on. */
  async function resting(caller = newCaller(), rest: Parameters<typeof request>[1] = {}): Promise<AcceptRequest> {
    const asked = request(caller, { rest: later(), ...rest });
    expect(await store.accept(domain, asked)).toMatchObject({ kind: 'resting', jobId: asked.jobId });
    return asked;
  }

  /** A call that runs. */
  async function running(caller = newCaller()): Promise<AcceptRequest> {
    const asked = request(caller);
    const job = queuedJob({ ...asked, contract: undefined });
    await store.accept(domain, { ...asked, job });
    const { taken } = await store.turn(partition, [], taker);
    expect(taken).toMatchObject({ jobs: [{ jobId: asked.jobId, begun: { kind: 'begun', attempt: 1 } }] });
    return asked;
  }

  async function recordOf(jobId: string) {
    const record = await store.read(jobId);
    if (!record) throw new Error('There is no such record');
    return record;
  }

  async function wakeOf(jobId: string, by = store, said: Pick<WakeRequest, 'decision' | 'head' | 'restsUntil'> = {}) {
    const record = await recordOf(jobId);
    return async () => {
      const [woken] = await by.resting.wake(partition, [{ record, job: queuedJob({ ...record, contract: undefined }), ...said }]);
      return woken;
    };
  }
  const wake = async (jobId: string, by = store) => (await wakeOf(jobId, by))();
  const finish = async ({ jobId, head }: AcceptRequest, rest: { attempt?: number; unlessResting?: boolean; atRest?: number } = {}) =>
    store.finish({ jobId, head, ending: ending({ state: 'cancelled' }), attempt: null, ...rest });
  const rest = async ({ jobId, head }: AcceptRequest, own: { attempt?: number; token?: string } = {}, by = store) =>
    by.resting.rest({
      jobId,
      head,
      attempt: 1,
      token: taker.token,
      rest: { reason: 'sleep', until: Date.now() + hourMs },
      leftMs: 5_000,
      ...own,
    });

  /** Where the call is: among those at rest, the open ones, the queue, and how many open ones its tenant has. */
  async function placesOf(jobId: string, { tenantId }: Caller) {
    const [isResting, isOpen, hasJob, open] = await Promise.all([
      redis.zscore(keys.resting(partition), jobId),
      redis.zscore(keys.open(partition), jobId),
      redis.exists(keys.job(jobId)),
      redis.hget(keys.openByTenant(partition), tenantId),
    ]);
    return { resting: isResting !== null, open: isOpen !== null, job: hasJob === 1, ofTenant: Number(open ?? 0) };
  }
  const atRest = { resting: true, open: false, job: false, ofTenant: 0 };
  const waiting = { resting: false, open: true, job: true, ofTenant: 1 };
  const kindsOf = async (jobId: string) => (await log.readAfter(jobId, 0)).map(({ kind }) => kind);

  return { ...parts, domain, partition, later, resting, running, recordOf, wakeOf, wake, finish, rest, placesOf, kindsOf, atRest, waiting };
}
