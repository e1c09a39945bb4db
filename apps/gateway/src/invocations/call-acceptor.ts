import { domains, inputFingerprint, Refusal, wholeDeadlineMs, type ToolContract } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import {
  metric,
  newJobId,
  queuedJob,
  recordLifeMs,
  whoOf,
  type Followers,
  type InvocationHead,
  type InvocationRecord,
  type InvocationStore,
  type ToolQueues,
} from '#lib/transport';
import { startMessage } from './call.js';
import type { AcceptedJob, CachedAnswer, CallRequest } from './invocation.js';
import { lost } from './job-call.js';
import type { Limits } from './limits.js';

export interface CallAcceptorParts {
  readonly store: InvocationStore;
  readonly queues: ToolQueues;
  readonly followers: Followers;
  readonly limits: Limits;
  readonly log: Logger;
}

/** The last step of the pipeline: one atomic step in Redis finds an answer or writes a record, then the job is enqueued. */
export class CallAcceptor {
  readonly #parts: CallAcceptorParts;

  constructor(parts: CallAcceptorParts) {
    this.#parts = parts;
  }

  /**
   * @param head the call as it will be stored
   * Throws IDEMPOTENCY_CONFLICT, OVERLOADED, RATE_LIMITED (too many open calls of the tenant) or NETWORK_ERROR.
   */
  async accept(request: CallRequest, contract: ToolContract, head: InvocationHead): Promise<CachedAnswer | AcceptedJob> {
    const { store, limits } = this.#parts;
    const { idempotencyKey, options } = request;
    const domain = domains[contract.domain];
    const jobId = newJobId(domain.name);
    const deadline = head.createdAt + (request.waits ? wholeDeadlineMs(contract) : recordLifeMs);
    const accepted = await store.accept(domain, {
      jobId,
      head,
      deadline,
      fingerprint: idempotencyKey === null ? '' : inputFingerprint(contract, head.input, head.sessionId),
      idempotencyKey,
      readCache: contract.cache !== undefined && options.enable_cache && idempotencyKey === null,
      // A caller who bypasses the cache also bypasses a run in flight.
      joinFlight: options.enable_cache,
      firstEvent: { kind: 'progress', progress: 0, message: startMessage(contract.name) },
    });
    switch (accepted.kind) {
      case 'cached':
        return accepted;
      case 'conflict':
        throw new Refusal('IDEMPOTENCY_CONFLICT', 'This Idempotency-Key was used with other parameters');
      case 'overloaded':
      case 'tenant-overloaded':
        await limits.refund(request.caller);
        throw overloaded(accepted.kind, domain.name);
      case 'replayed':
      case 'joined':
        return this.#join(accepted, contract, deadline);
      case 'created':
        return this.#enqueue({ jobId, head, deadline, round: accepted.round }, contract);
    }
  }

  async #join(
    { kind, jobId }: { readonly kind: 'replayed' | 'joined'; readonly jobId: string },
    contract: ToolContract,
    deadline: number,
  ): Promise<AcceptedJob> {
    const record = await this.#parts.store.read(jobId);
    if (!record) throw lost();
    const replayed = kind === 'replayed';
    if (replayed) await this.#enqueueLost(record, contract);
    return { kind: 'accepted', jobId, head: record.head, record, follower: null, deadline, replayed, joined: true };
  }

  /** The gateway that accepted the job may have died before it enqueued it. Adding a job twice is the same as once. */
  async #enqueueLost({ jobId, head, state }: InvocationRecord, contract: ToolContract): Promise<void> {
    if (state === 'waiting') await this.#parts.queues.add(contract.domain, queuedJob({ jobId, head, contract }));
  }

  async #enqueue(
    {
      jobId,
      head,
      deadline,
      round,
    }: { readonly jobId: string; readonly head: InvocationHead; readonly deadline: number; readonly round: number },
    contract: ToolContract,
  ): Promise<AcceptedJob> {
    const { queues, followers, log } = this.#parts;
    const job = queuedJob({ jobId, head, contract, round });
    // Follow before enqueueing, so that the end cannot be missed.
    const follower = followers.follow(jobId, true);
    try {
      await queues.add(contract.domain, job);
    } catch (error) {
      follower[Symbol.dispose]();
      throw error;
    }
    log.info(
      {
        event: 'call-start',
        trace_id: head.traceId,
        request_id: head.requestId,
        tool_name: contract.name,
        job_id: jobId,
        tenant_id: head.caller.tenantId,
        ...whoOf(head.caller, head.input, contract),
        params: job.shown.input,
      },
      'call accepted',
    );
    return { kind: 'accepted', jobId, head, record: null, follower, deadline, replayed: false, joined: false };
  }
}

function overloaded(kind: 'overloaded' | 'tenant-overloaded', domain: string): Refusal {
  metric.shedCalls.inc({ reason: kind });
  // Jitter keeps callers from coming back at the same moment.
  const wait = { retry_after_ms: 1_000 + Math.round(Math.random() * 1_000) };
  return kind === 'overloaded'
    ? new Refusal('OVERLOADED', `The ${domain} tools have as many open calls as they can hold`, wait)
    : new Refusal('RATE_LIMITED', `Your tenant has as many open calls of the ${domain} tools as it may have`, wait);
}
