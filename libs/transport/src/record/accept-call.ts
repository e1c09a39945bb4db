import { principal, type Domain } from '#lib/contracts';
import type { AcceptRequest } from './acceptance.js';
import { callOverheadBytes } from './call-bodies.js';
import { isPaced } from './codec.js';
import { openBounds } from './open-bounds.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { openLifeMs, recordLifeMs } from '../redis/lives.js';
import type { Partition } from '../redis/partition.js';
import type { Sealer } from './sealing.js';
import { commonOpts } from './queued-job.js';

/** What the calls of a group share in the script `accept`. */
export function acceptGroup(
  keys: RedisKeys,
  partition: Partition,
  { domain, listener, maxBytes }: { readonly domain: Domain; readonly listener: string; readonly maxBytes: number },
) {
  return {
    keys: {
      open: keys.open(partition),
      openByTenant: keys.openByTenant(partition),
      unqueued: keys.unqueued(partition),
      cacheTrust: keys.cacheTrust(partition),
      rounds: keys.rounds(partition),
      wait: keys.queue(partition, 'wait'),
      prioritized: keys.queue(partition, 'prioritized'),
      pc: keys.queue(partition, 'pc'),
      marker: keys.queue(partition, 'marker'),
      active: keys.queue(partition, 'active'),
      delayed: keys.queue(partition, 'delayed'),
      meta: keys.queue(partition, 'meta'),
      offer: keys.offer(partition),
    },
    args: {
      slot: keys.slot(partition),
      queuePrefix: keys.queue(partition, ''),
      ...openBounds(domain),
      concurrency: domain.concurrency,
      listener,
      maxBytes,
      commonOpts,
      notices: keys.notices(domain.name),
      handed: keys.handed(domain.name),
    },
  };
}

/** What a call has of its own there. `head` is as it is stored, `encoded` its text. */
export function acceptCall(
  { keys, sealer, partition }: { readonly keys: RedisKeys; readonly sealer: Sealer; readonly partition: Partition },
  request: AcceptRequest & { readonly encoded: string },
) {
  const { jobId, idempotencyKey, head, encoded, job } = request;
  const who = principal(head.caller);
  const start = keys.slot(partition).length;
  const own = (key: string): string => key.slice(start);
  return {
    jobId,
    now: head.createdAt,
    deadline: request.deadline,
    openMs: Math.min(openLifeMs, request.deadline - head.createdAt + recordLifeMs),
    head: encoded,
    mac: sealer.sign(jobId + encoded),
    fingerprint: request.fingerprint,
    tenant: head.caller.tenantId,
    caller: who,
    callerJobs: own(keys.callerJobs(partition, who)),
    held: own(keys.held(partition, head.caller.tenantId)),
    idempotency: idempotencyKey === null ? '' : own(keys.idempotency(partition, [who, head.tool, idempotencyKey])),
    flight: head.flightKey === null ? '' : own(keys.flight(partition, head.flightKey)),
    cache: head.cacheKey === null ? '' : own(keys.cache(partition, head.cacheKey)),
    joinsFlight: head.flightKey !== null && (request.joinFlight ?? true),
    readsCache: request.readCache && head.cacheKey !== null,
    bytes: bytesOf(request),
    maxAhead: request.maxAhead ?? Number.MAX_SAFE_INTEGER,
    enqueues: job !== undefined,
    jobName: job?.tool ?? '',
    jobData: job?.data ?? '',
    attempts: job?.maxAttempts ?? 0,
    ownPriority: job?.priority ?? 0,
    paced: isPaced(head),
  };
}

/** That a call takes while it is open. */
export function bytesOf({ encoded, head }: Pick<AcceptRequest, 'head'> & { readonly encoded: string }): number {
  return callOverheadBytes + Buffer.byteLength(encoded) + (head.body?.bytes ?? 0);
}
