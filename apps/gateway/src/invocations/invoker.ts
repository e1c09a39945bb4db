import {
  domains,
  completeError,
  inputFingerprint,
  invocationKey,
  maxAttempts,
  outcomeFacts,
  redact,
  Refusal,
  validateInput,
  wholeDeadlineMs,
  type Caller,
  type Outcome,
  type ToolContract,
} from '#lib/contracts';
import type { Logger } from '#lib/platform';
import {
  newJobId,
  queuedJob,
  recordLifeMs,
  whoOf,
  type CacheEntry,
  type Follower,
  type Followers,
  type InvocationHead,
  type InvocationRecord,
  type InvocationStore,
  type ToolQueues,
  metric,
  recordCall,
} from '#lib/transport';
import { toRefusal } from '../http/problem.js';
import type { RequestFacts } from '../http/request-facts.js';
import { authorise } from './authorise.js';
import { startMessage } from './call.js';
import { lost } from './job-call.js';
import type { Limits } from './limits.js';
import type { CallOptions } from './options.js';
import type { ToolDirectory } from './tool-directory.js';

export interface CallRequest {
  /** Name, alias or `name@range`. */
  readonly tool: string;
  /** Reads the parameters, given the contract: a query string is coerced by its schema. */
  readonly input: (contract: ToolContract) => unknown;
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly options: CallOptions;
  readonly idempotencyKey: string | null;
  readonly sessionId: string | null;
  /** Versions of the answer that the caller holds (`If-None-Match`). */
  readonly known: readonly string[];
  /** True if the caller blocks until the answer. Otherwise the deadline is 24 h. */
  readonly waits: boolean;
  /** Answers tools of this source document alone. */
  readonly source?: ToolContract['source'];
  /** For the door of an internal tool. Only one call may be open under this key; others join it. */
  readonly internal?: { readonly flightKey: string };
  /** Refuses tools that change something, for requests that a client may repeat by itself (GET). */
  readonly readsOnly?: boolean;
}

/** What became of a request: an answer from the cache, or a job to follow. */
export type Invocation = {
  readonly contract: ToolContract;
  /** The parameters as the contract parsed them. */
  readonly input: Readonly<Record<string, unknown>>;
} & (
  | { readonly kind: 'cached'; readonly entry: CacheEntry; readonly leftMs: number }
  | {
      readonly kind: 'accepted';
      readonly jobId: string;
      readonly head: InvocationHead;
      /** Null for a job that this request created. */
      readonly record: InvocationRecord | null;
      /** Follows the job from before it was enqueued; null for a job that another request created. */
      readonly follower: Follower | null;
      /** When this caller stops waiting, in epoch milliseconds. */
      readonly deadline: number;
      /** True when the caller's own Idempotency-Key found an earlier run. */
      readonly replayed: boolean;
      /** True when the job is another request's, by Idempotency-Key or single flight. */
      readonly joined: boolean;
    }
);

interface InvokerParts {
  readonly tools: ToolDirectory;
  readonly limits: Limits;
  readonly store: InvocationStore;
  readonly queues: ToolQueues;
  readonly followers: Followers;
  /** False in production: the option `debug` has no effect there. */
  readonly showDebug: boolean;
  readonly log: Logger;
}

const maxIdempotencyKey = 255;

/** The pipeline. Every invocation, from any door, takes these steps in this order. */
export class Invoker {
  readonly #parts: InvokerParts;

  constructor(parts: InvokerParts) {
    this.#parts = parts;
  }

  /** Accepts a call, or finds its answer in the cache. Throws a Refusal before anything is enqueued. */
  async invoke(request: CallRequest): Promise<Invocation> {
    const seen: { contract?: ToolContract; input?: unknown } = {};
    try {
      return await this.#steps(request, seen);
    } catch (error) {
      const refusal = inNativeWords(seen.contract, toRefusal(error));
      const outcome: Outcome = { ok: false, error: refusal.error };
      this.#record(request, seen, { outcome, cacheHit: false, toolName: seen.contract?.name ?? 'unknown' });
      if (!(error instanceof Refusal))
        this.#parts.log.error({ event: 'invoke-failed', trace_id: request.facts.traceId, err: error }, 'a call could not be accepted');
      throw refusal;
    }
  }

  async #steps(request: CallRequest, seen: { contract?: ToolContract; input?: unknown }): Promise<Invocation> {
    const { caller, facts, options } = request;
    const validationStart = performance.now();
    const { tools } = this.#parts;
    const contract = request.internal ? tools.internal(request.tool) : tools.resolve(request.tool);
    if (request.source && contract.source !== request.source)
      throw new Refusal('TOOL_NOT_FOUND', `Tool '${contract.name}' is not one of ${request.source}; call it at /tools/${contract.name}`);
    seen.contract = contract;
    if (request.readsOnly && contract.effect === 'write')
      throw new Refusal('METHOD_NOT_ALLOWED', `${contract.name} changes something; call it with POST`, { extra: { allow: 'POST' } });
    seen.input = request.input(contract);
    const input = validateInput(contract, seen.input);
    adoptRequestId(facts, input);
    authorise(caller, contract, input);
    const validationMs = Math.round((performance.now() - validationStart) * 100) / 100;
    checkIdempotencyKey(request.idempotencyKey);
    await this.#parts.limits.spend(caller);

    const now = Date.now();
    const key = invocationKey(contract, input, request);
    const head: InvocationHead = {
      v: 1,
      tool: contract.name,
      version: contract.version,
      input,
      caller,
      sessionId: request.sessionId,
      requestId: facts.requestId,
      ...(contract.revalidates && request.known.length > 0 && { known: [...request.known] }),
      traceId: facts.traceId,
      traceparent: facts.traceparent,
      createdAt: now,
      validationMs,
      ...this.#storedOptions(options),
      maxAttempts: options.enable_retry ? maxAttempts(contract) : 1,
      retry: options.enable_retry,
      // An idempotency key stands for a run of its own, so it never joins another caller's run.
      flightKey: request.internal?.flightKey ?? (contract.singleFlight && request.idempotencyKey === null ? key : null),
      cacheKey: contract.cache ? key : null,
    };
    return { contract, input, ...(await this.#accept(request, contract, head)) };
  }

  /** Options that differ from the defaults are stored with the call: its answer may be read later and by another door. */
  #storedOptions({ debug: asked, metacognition, personality, inline_files }: CallOptions): Pick<InvocationHead, 'wishes'> {
    const debug = asked && this.#parts.showDebug;
    if (!debug && !metacognition && inline_files) return {};
    return { wishes: { debug, metacognition, inline_files, ...(personality && { personality }) } };
  }

  async #accept(request: CallRequest, contract: ToolContract, head: InvocationHead) {
    const { store, queues, followers, limits } = this.#parts;
    const domain = domains[contract.domain];
    const jobId = newJobId(domain.name);
    const deadline = head.createdAt + (request.waits ? wholeDeadlineMs(contract) : recordLifeMs);
    const accepted = await store.accept(domain, {
      jobId,
      head,
      deadline,
      fingerprint: request.idempotencyKey === null ? '' : inputFingerprint(contract, head.input, head.sessionId),
      idempotencyKey: request.idempotencyKey,
      readCache: contract.cache !== undefined && request.options.enable_cache && request.idempotencyKey === null,
      // A caller who bypasses the cache also bypasses a run in flight.
      joinFlight: request.options.enable_cache,
      firstEvent: { kind: 'progress', progress: 0, message: startMessage(contract.name) },
    });
    switch (accepted.kind) {
      case 'cached':
        // A cached answer counts as a call.
        this.#record(
          request,
          { contract, input: head.input },
          { outcome: accepted.entry.outcome, cacheHit: true, toolName: contract.name },
        );
        return accepted;
      case 'conflict':
        throw new Refusal('IDEMPOTENCY_CONFLICT', 'This Idempotency-Key was used with other parameters');
      case 'overloaded':
      case 'tenant-overloaded':
        await limits.refund(request.caller);
        throw overloaded(accepted.kind, domain.name);
      case 'replayed':
      case 'joined': {
        const replayed = accepted.kind === 'replayed';
        const record = await store.read(accepted.jobId);
        if (!record) throw lost();
        if (replayed) await this.#enqueueLost(record, contract);
        const { head: first, jobId: firstId } = record;
        return { kind: 'accepted', jobId: firstId, head: first, record, follower: null, deadline, replayed, joined: true } as const;
      }
      case 'created': {
        // Follow before enqueueing, so that the end cannot be missed.
        const follower = followers.follow(jobId, true);
        const job = queuedJob({ jobId, head, contract, round: accepted.round });
        try {
          await queues.add(domain.name, job);
        } catch (error) {
          follower[Symbol.dispose]();
          throw error;
        }
        this.#parts.log.info(
          {
            event: 'call-start',
            trace_id: head.traceId,
            request_id: request.facts.requestId,
            tool_name: contract.name,
            job_id: jobId,
            tenant_id: head.caller.tenantId,
            ...whoOf(head.caller, head.input, contract),
            params: job.shown.input,
          },
          'call accepted',
        );
        return { kind: 'accepted', jobId, head, record: null, follower, deadline, replayed: false, joined: false } as const;
      }
    }
  }

  /** The gateway that accepted the job may have died before it enqueued it. Adding a job twice is the same as once. */
  async #enqueueLost({ jobId, head, state }: InvocationRecord, contract: ToolContract): Promise<void> {
    if (state === 'waiting') await this.#parts.queues.add(contract.domain, queuedJob({ jobId, head, contract }));
  }

  #record(
    { caller, facts }: Pick<CallRequest, 'caller' | 'facts'>,
    seen: { contract?: ToolContract; input?: unknown },
    end: { outcome: Outcome; cacheHit: boolean; toolName: string },
  ): void {
    const durationMs = Math.round((performance.now() - facts.startedAt) * 100) / 100;
    recordCall(this.#parts.log, {
      trace_id: facts.traceId,
      request_id: facts.requestId,
      // An unknown name is text from outside: it must not become a metric label.
      tool_name: end.toolName,
      tenant_id: caller.tenantId,
      ...whoOf(caller, seen.input, seen.contract),
      job_id: null,
      params: seen.contract ? redact(seen.contract.input, 'input', seen.input) : null,
      started_at: Date.now() - durationMs,
      duration_ms: durationMs,
      execution_time_ms: 0,
      attempts: 0,
      ...outcomeFacts(end.outcome),
      cache_hit: end.cacheHit,
    });
  }
}

/** A `request_id` parameter, where the tool takes one, is echoed in the header and written to logs and spans (ST-03). */
function adoptRequestId(facts: RequestFacts, input: Readonly<Record<string, unknown>>): void {
  const { request_id: requestId } = input;
  if (typeof requestId !== 'string') return;
  facts.requestId = requestId;
  facts.span.setAttribute('request_id', requestId);
}

function inNativeWords(contract: ToolContract | undefined, refusal: Refusal): Refusal {
  if (!contract) return refusal;
  const { code: _code, family, message, ...rest } = completeError(contract, refusal.error);
  return new Refusal(family, message, rest);
}

function checkIdempotencyKey(key: string | null): void {
  if (key === null || (key.length <= maxIdempotencyKey && /^[\x20-\x7e]+$/.test(key))) return;
  throw new Refusal('INVALID_PARAMS', `Idempotency-Key must have 1–${maxIdempotencyKey} printable ASCII characters`, {
    details: [{ path: 'Idempotency-Key', message: 'too long or not printable' }],
  });
}

function overloaded(kind: 'overloaded' | 'tenant-overloaded', domain: string): Refusal {
  metric.shedCalls.inc({ reason: kind });
  const retryAfterMs = 1_000 + Math.round(Math.random() * 1_000);
  return kind === 'overloaded'
    ? new Refusal('OVERLOADED', `The ${domain} tools have as many open calls as they can hold`, { retry_after_ms: retryAfterMs })
    : new Refusal('RATE_LIMITED', `Your tenant has as many open calls of the ${domain} tools as it may have`, {
        retry_after_ms: retryAfterMs,
      });
}
