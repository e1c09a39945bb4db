import { Inject, Injectable } from '@nestjs/common';
import { inputFingerprint, principal, Refusal, wholeDeadlineMs, type Approval, type Domain, type ToolContract } from '#lib/contracts';
import { logCall } from '#lib/platform';
import {
  newJobId,
  queuedJob,
  recordLifeMs,
  whoOf,
  type Acceptance,
  type AcceptRequest,
  type CallHead,
  type QueuedJob,
  type Partition,
} from '#lib/transport';
import { Approvals } from './waiting/approvals.js';
import { CallBudgets, type Room, type SpendingCall } from '../rules/spending/call-budgets.js';
import { pausedRefusal, pausedRest, CallPauses } from '../rules/flow/call-pauses.js';
import { CallFlows } from '../rules/flow/call-flows.js';
import { Admission } from './admission.js';
import type { JobToFollow, CachedAnswer, CallRequest } from './accepted-call.js';
import { lost } from './job-call.js';
import { readsCache, restAsked } from './call-times.js';
import { Limits } from './limits.js';
import { Stores } from '../stores.js';

/** A request, and what a person has to be asked before it runs. */
export interface ApprovedRequest extends CallRequest {
  readonly approval: Approval | null;
}

/** The last step of the pipeline: one atomic step in Redis finds an answer, or writes a record and enqueues its job. */
@Injectable()
export class CallAcceptor {
  constructor(
    @Inject(Stores)
    private readonly stores: Pick<Stores, 'store' | 'partitions' | 'followers' | 'reports' | 'log'> & {
      readonly servedDirectory: Pick<Stores['servedDirectory'], 'accepting'>;
    },
    private readonly limits: Limits,
    private readonly admission: Admission,
    @Inject(Approvals) private readonly approvals: Pick<Approvals, 'ask' | 'takeBack'>,
    @Inject(CallBudgets) private readonly budgets: Pick<CallBudgets, 'reserve' | 'release'>,
    @Inject(CallPauses) private readonly pauses: Pick<CallPauses, 'of'>,
    @Inject(CallFlows) private readonly flows: Pick<CallFlows, 'of' | 'follow' | 'enter' | 'rests' | 'leave'>,
  ) {}

  /**
   * @param head the call as it will be stored
   * Throws IDEMPOTENCY_CONFLICT, OVERLOADED (also when it would wait past its deadline), RATE_LIMITED (too many open calls of the tenant), QUOTA_EXCEEDED (too many bytes, or a budget is used up) or
   * NETWORK_ERROR.
   */
  async accept({ approval, ...request }: ApprovedRequest, contract: ToolContract, head: CallHead): Promise<CachedAnswer | JobToFollow> {
    const { followers, partitions } = this.stores;
    const { idempotencyKey, options } = request;
    const domain = this.admission.domain(contract.domain);
    const partition = await this.#placeOf(request, head, domain.name);
    const jobId = newJobId(partition);
    if (contract.served) await this.stores.servedDirectory.accepting(contract.domain);
    const isExempt = request.internal?.exempt ?? false;
    const pause = isExempt ? null : this.pauses.of(contract, request.caller);
    const lines = isExempt ? undefined : await this.#linesOf(contract, head);
    const room = pause?.refuse ? null : await this.#roomFor({ jobId, contract, caller: request.caller, now: head.createdAt });
    const refusal = pause?.refuse ? pausedRefusal(pause) : room?.kind === 'full' ? room.refusal : null;
    const asked = approval && !refusal ? await this.#ask(approval, { jobId, head, contract }, room) : null;
    const firstRest = refusal
      ? undefined
      : (asked ?? restAsked(options, head.createdAt) ?? (pause ? pausedRest(pause, head.createdAt) : undefined));
    // Nobody waits for a call that begins later.
    const leftMs = request.waits && !firstRest ? wholeDeadlineMs(contract) : recordLifeMs;
    const deadline = head.createdAt + leftMs;
    const kept = { ...head, ...(lines && { lines }), ...(room?.kind === 'held' && heldIn(room)) };
    const job = queuedJob({ jobId, head: kept, contract });
    // Follow before it is enqueued, so that the end cannot be missed.
    using following = new DisposableStack();
    const follower = following.use(followers.follow(jobId, true));
    const accepted = await this.#placed(domain, {
      jobId,
      head: kept,
      deadline,
      fingerprint: idempotencyKey === null ? '' : inputFingerprint(contract, head.input, head.sessionId),
      idempotencyKey,
      readCache: !approval && readsCache(request, contract),
      // A budget that is used up, and a pause that refuses, forbid no answer that is there already.
      maxAhead: refusal ? findsOnly : this.admission.maxAhead(partition, domain, leftMs),
      // A caller who bypasses the cache also bypasses a call in flight.
      joinFlight: options.enable_cache,
      rest: firstRest,
      job,
    });
    if (asked && accepted.kind !== 'resting') await this.approvals.takeBack(asked.inputRequest);
    await this.#settleRoom(room, { jobId, caller: request.caller }, accepted.kind === 'created' || accepted.kind === 'resting');
    if (refusal && accepted.kind === 'too-late') {
      await this.limits.refund(request.caller, new Date(head.createdAt));
      throw refusal;
    }
    switch (accepted.kind) {
      case 'cached':
        return { ...accepted, partition };
      case 'conflict':
        throw new Refusal('IDEMPOTENCY_CONFLICT', 'This Idempotency-Key was used with other parameters');
      case 'overloaded':
      case 'tenant-overloaded':
      case 'too-late':
        await this.limits.refund(request.caller, new Date(head.createdAt));
        throw this.admission.refusal(accepted, domain, { partition, leftMs });
      case 'tenant-full':
        await this.limits.refund(request.caller, new Date(head.createdAt));
        this.stores.reports.metrics.shedCalls.inc({ reason: 'tenant-full' });
        throw full(accepted, domain.name);
      case 'replayed':
      case 'joined':
        return this.#join(accepted, deadline);
      case 'created':
        if (accepted.round > 0) this.admission.sawWaiting(partition);
        this.stores.reports.changes.push({ jobId, head: accepted.head, state: 'waiting', startedAt: null, attempts: 0, ending: null });
        this.#logStart(accepted.head, contract, job);
        following.move();
        return { ...isNew, jobId, head: accepted.head, follower, deadline };
      case 'resting':
        await partitions.keepFor(Math.max(accepted.rest.until, head.runAt ?? 0));
        this.stores.reports.changes.push({ jobId, head: accepted.head, state: 'resting', startedAt: null, attempts: 0, ending: null });
        this.#logStart(accepted.head, contract, job);
        following.move();
        return { ...isNew, jobId, head: accepted.head, follower, deadline: accepted.rest.until + leftMs, rest: accepted.rest };
    }
  }

  /** What has to pass flows asks for its places first, or waits for them. One that rests anyway asks when it comes out of that. */
  async #placed(domain: Domain, request: AcceptRequest): Promise<Acceptance> {
    const { jobId, head, deadline, maxAhead, rest } = request;
    if (!head.lines || maxAhead === findsOnly) return this.#accepted(domain, request);
    await this.flows.follow(jobId);
    if (rest) return this.#accepted(domain, request);
    let isAccepted = false;
    const askedAt = performance.now();
    try {
      const waits = await this.flows.enter({ jobId, head });
      const accepted = await this.#accepted(
        domain,
        waits ? { ...request, rest: { reason: 'flow', until: deadline, flow: waits } } : request,
      );
      isAccepted = accepted.kind === 'created' || accepted.kind === 'resting';
      if (accepted.kind === 'resting') this.flows.rests(jobId, performance.now() - askedAt);
      return accepted;
    } finally {
      // The next look finds what fails here.
      if (!isAccepted) await this.flows.leave(jobId, { undoes: true }).catch(() => undefined);
    }
  }

  /** What is paused, or waits for others, may have an answer all the same. */
  async #accepted(domain: Domain, { rest, ...request }: AcceptRequest): Promise<Acceptance> {
    const { store } = this.stores;
    if (rest?.reason === 'paused' || rest?.reason === 'flow') {
      const found = await store.accept(domain, { ...request, maxAhead: findsOnly });
      if (found.kind !== 'too-late') return found;
    }
    return store.accept(domain, { ...request, rest });
  }

  /** Throws as `CallFlows.of`: then nothing counts. */
  async #linesOf(contract: ToolContract, { input, caller, createdAt: now }: CallHead): Promise<CallHead['lines']> {
    try {
      return this.flows.of(contract, input, { caller, now });
    } catch (error) {
      await this.limits.refund(caller, new Date(now));
      throw error;
    }
  }

  /** Throws NETWORK_ERROR: then nothing counts. */
  async #roomFor(call: SpendingCall): Promise<Room | null> {
    try {
      return await this.budgets.reserve(call);
    } catch (error) {
      await this.limits.refund(call.caller, new Date(call.now));
      throw error;
    }
  }

  async #ask(approval: Approval, call: Parameters<Approvals['ask']>[1], room: Room | null): ReturnType<Approvals['ask']> {
    try {
      return await this.approvals.ask(approval, call);
    } catch (error) {
      await this.#settleRoom(room, { jobId: call.jobId, caller: call.head.caller }, false);
      throw error;
    }
  }

  /** What an accepted call holds is settled by its end. */
  async #settleRoom(room: Room | null, call: Pick<SpendingCall, 'jobId' | 'caller'>, isAccepted: boolean): Promise<void> {
    if (room?.kind !== 'held') return;
    if (isAccepted) room.tell();
    else await this.budgets.release(call);
  }

  async #placeOf({ idempotencyKey }: CallRequest, { caller, tool }: CallHead, domain: string): Promise<Partition> {
    const { partitions } = this.stores;
    const who = principal(caller);
    return idempotencyKey === null ? partitions.home(domain, who) : partitions.placeOf(domain, { who, tool, idempotencyKey });
  }

  async #join({ kind, jobId }: { readonly kind: 'replayed' | 'joined'; readonly jobId: string }, deadline: number): Promise<JobToFollow> {
    const record = await this.stores.store.read(jobId);
    if (!record) throw lost();
    const replayed = kind === 'replayed';
    return { kind: 'accepted', jobId, head: record.head, record, rest: null, follower: null, deadline, replayed, joined: true };
  }

  #logStart(head: CallHead, contract: ToolContract, { jobId, shown }: QueuedJob): void {
    logCall(this.stores.log, {
      level: 'info',
      message: 'call accepted',
      fields: {
        event: 'call-start',
        trace_id: head.traceId,
        request_id: head.requestId,
        tool_name: contract.name,
        job_id: jobId,
        tenant_id: head.caller.tenantId,
        ...whoOf(head.caller, head.input, contract),
        params: shown.input,
      },
    });
  }
}

/** What the record of a call says of the budgets that hold room for it. */
function heldIn({ warnings }: Extract<Room, { kind: 'held' }>): Pick<CallHead, 'budgeted' | 'warnings'> {
  return { budgeted: true, ...(warnings.length > 0 && { warnings: [...warnings] }) };
}

/** As `maxAhead`: a call may find its answer, and does not run. */
const findsOnly = -1;

const isNew = { kind: 'accepted', record: null, rest: null, replayed: false, joined: false } as const;

function full(
  { usedBytes, neededBytes, maxBytes }: { readonly usedBytes: number; readonly neededBytes: number; readonly maxBytes: number },
  domain: string,
): Refusal {
  return new Refusal(
    'QUOTA_EXCEEDED',
    `The ${domain} calls of your tenant hold ${usedBytes} of the ${maxBytes} bytes that they may hold, and this one needs ${neededBytes}. ` +
      'Parameters are freed when their call ends, results 24 hours later: wait, send less in a call, or ask the operator for more (TENANT_BYTES)',
    { extra: { used_bytes: usedBytes, needed_bytes: neededBytes, limit_bytes: maxBytes } },
  );
}
