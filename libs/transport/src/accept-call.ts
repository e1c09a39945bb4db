import { principal, type Domain } from '#lib/contracts';
import type { AcceptRequest } from './acceptance.js';
import { callOverheadBytes } from './call-bodies.js';
import { openLifeMs, recordLifeMs } from './lives.js';
import { partitionOfJob, type RedisKeys } from './redis-keys.js';
import type { Sealer } from './sealing.js';
import { storedJob } from './tool-queue.js';

interface AcceptParts {
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  readonly maxBytes: number;
  readonly listener: string;
}

/** What the script `accept` is called with. `head` is as it is stored, `encoded` its text. */
export function acceptCall(
  { keys, sealer, maxBytes, listener }: AcceptParts,
  domain: Domain,
  request: AcceptRequest & { readonly encoded: string },
) {
  const { jobId, idempotencyKey, head, encoded, job } = request;
  const partition = partitionOfJob(jobId);
  const who = principal(head.caller);
  const stored = job && storedJob(job);
  // A key that a call has no use for still needs a name in its slot.
  const unused = keys.invocation(jobId);
  return {
    keys: {
      invocation: keys.invocation(jobId),
      events: keys.events(jobId),
      open: keys.open(partition),
      openByTenant: keys.openByTenant(partition),
      unqueued: keys.unqueued(partition),
      callerJobs: keys.callerJobs(partition, who),
      idempotency: idempotencyKey === null ? unused : keys.idempotency(partition, [who, head.tool, idempotencyKey]),
      flight: head.flightKey === null ? unused : keys.flight(partition, head.flightKey),
      cache: head.cacheKey === null ? unused : keys.cache(partition, head.cacheKey),
      cacheTrust: keys.cacheTrust(partition),
      rounds: keys.rounds(partition),
      held: keys.held(partition, head.caller.tenantId),
      job: keys.job(jobId),
      wait: keys.queue(partition, 'wait'),
      prioritized: keys.queue(partition, 'prioritized'),
      pc: keys.queue(partition, 'pc'),
      marker: keys.queue(partition, 'marker'),
    },
    args: {
      jobId,
      now: head.createdAt,
      deadline: request.deadline,
      head: encoded,
      mac: sealer.sign(jobId + encoded),
      fingerprint: request.fingerprint,
      tenant: head.caller.tenantId,
      caller: who,
      ...openBounds(domain),
      maxAhead: request.maxAhead ?? Number.MAX_SAFE_INTEGER,
      openMs: Math.min(openLifeMs, request.deadline - head.createdAt + recordLifeMs),
      listMs: recordLifeMs,
      hasIdempotencyKey: idempotencyKey !== null,
      idempotencyMs: recordLifeMs,
      joinsFlight: head.flightKey !== null && (request.joinFlight ?? true),
      makesFlight: head.flightKey !== null,
      readsCache: request.readCache,
      concurrency: domain.concurrency,
      listener,
      bytes: callOverheadBytes + Buffer.byteLength(encoded) + (head.body?.bytes ?? 0),
      maxBytes,
      jobName: stored?.name ?? '',
      jobData: stored?.data ?? '',
      jobOpts: stored?.opts ?? '',
      ownPriority: job?.priority ?? 0,
    },
  };
}

/** Of `maxOpen`: what is kept for tenants with few open calls, and how many are few. */
const reservedShare = 0.1;
const lightShare = 0.01;

/** How many calls may be open. Where one tenant may have all of them, nothing is kept for others. */
function openBounds({ maxOpen, tenantShare }: Domain) {
  return {
    maxOpen,
    maxOfTenant: Math.max(1, Math.floor(maxOpen * tenantShare)),
    reserve: tenantShare < 1 ? Math.floor(maxOpen * reservedShare) : 0,
    light: Math.max(1, Math.floor(maxOpen * lightShare)),
  };
}
