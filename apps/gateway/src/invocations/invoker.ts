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
  type Catalog,
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
  type InvocationStore,
  type ToolQueues,
  metric,
  recordCall,
} from '#lib/transport';
import { toRefusal } from '../http/problem.js';
import type { RequestFacts } from '../http/request-facts.js';
import { authorise } from './authorise.js';
import type { Limits } from './limits.js';
import type { CallOptions } from './options.js';
import { internalTool, resolveTool } from './resolve.js';

export interface InvocationRequest {
  /** Name, alias or `name@range`. */
  readonly tool: string;
  /** The parameters as they came, read when the contract is known: a query string is coerced by it. */
  readonly input: (contract: ToolContract) => unknown;
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly options: CallOptions;
  readonly idempotencyKey: string | null;
  readonly sessionId: string | null;
  /** Versions of the answer that the caller has (`If-None-Match`). */
  readonly known: readonly string[];
  /** False once somebody may stop waiting without the work losing its use: such work has a day. */
  readonly waits: boolean;
  /** Answers tools of this source document alone. */
  readonly source?: ToolContract['source'];
  /** For the door of an internal tool: only one invocation may be open under this name at a time; others join it. */
  readonly internal?: { readonly flightKey: string };
  /** Refuses tools that change something: the door may be knocked on twice. */
  readonly readsOnly?: boolean;
}

export type Invocation = {
  readonly contract: ToolContract;
} & (
  | { readonly kind: 'cached'; readonly entry: CacheEntry; readonly leftMs: number }
  /** Follow it; dispose the follower. */
  | {
      readonly kind: 'accepted';
      readonly jobId: string;
      /** Known when this call made it. */
      readonly head: InvocationHead | null;
      readonly follower: Follower;
      readonly deadline: number;
      readonly replayed: boolean;
      readonly joined: boolean;
    }
);

interface InvokerParts {
  readonly catalog: Catalog;
  /** By which life cycles are judged. */
  readonly clock: () => Date;
  readonly limits: Limits;
  readonly store: InvocationStore;
  readonly queues: ToolQueues;
  readonly followers: Followers;
  /** False in production: `debug` is not heard there. */
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

  get catalog(): Catalog {
    return this.#parts.catalog;
  }

  /** The tools that a model is told of today. */
  get offered(): readonly ToolContract[] {
    return this.#parts.catalog.offered(this.#parts.clock());
  }

  /** Gives back something to follow, or the cached answer. Throws a Refusal before anything is enqueued. */
  async invoke(request: InvocationRequest): Promise<Invocation> {
    const seen: { contract?: ToolContract; input?: unknown } = {};
    try {
      return await this.#steps(request, seen);
    } catch (error) {
      const refusal = inWordsOf(seen.contract, toRefusal(error));
      const outcome: Outcome = { ok: false, error: refusal.error };
      this.#record(request, seen, { outcome, cacheHit: false, toolName: seen.contract?.name ?? 'unknown' });
      if (!(error instanceof Refusal))
        this.#parts.log.error({ event: 'invoke-failed', trace_id: request.facts.traceId, err: error }, 'a call could not be accepted');
      throw refusal;
    }
  }

  async #steps(request: InvocationRequest, seen: { contract?: ToolContract; input?: unknown }): Promise<Invocation> {
    const { caller, facts, options } = request;
    const validationStart = performance.now();
    const contract = request.internal
      ? internalTool(this.#parts.catalog, request.tool)
      : resolveTool(this.#parts.catalog, request.tool, this.#parts.clock());
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
      ...this.#wishes(options),
      maxAttempts: options.enable_retry ? maxAttempts(contract) : 1,
      retry: options.enable_retry,
      // An idempotency key stands for one run of its own: its answer is that run's, not the cache's.
      flightKey: request.internal?.flightKey ?? (contract.singleFlight && request.idempotencyKey === null ? key : null),
      cacheKey: contract.cache ? key : null,
    };
    return { contract, ...(await this.#accept(request, contract, head)) };
  }

  /** Carried with the call when they are not what everybody wants: the answer may be read later, and elsewhere. */
  #wishes({ debug: asked, metacognition, personality, inline_files }: CallOptions): Pick<InvocationHead, 'wishes'> {
    const debug = asked && this.#parts.showDebug;
    if (!debug && !metacognition && inline_files) return {};
    return { wishes: { debug, metacognition, inline_files, ...(personality && { personality }) } };
  }

  async #accept(request: InvocationRequest, contract: ToolContract, head: InvocationHead) {
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
      // Whoever wants no kept answer wants no shared one either.
      joinFlight: request.options.enable_cache,
      firstEvent: { kind: 'progress', progress: 0, message: `Starting ${contract.name}` },
    });
    switch (accepted.kind) {
      case 'cached':
        // A cached answer is a call too.
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
        if (replayed) await this.#enqueueLost(accepted.jobId, contract);
        const follower = followers.follow(accepted.jobId, false);
        return { kind: 'accepted', jobId: accepted.jobId, head: null, follower, deadline, replayed, joined: true } as const;
      }
      case 'created': {
        // Followed before it is enqueued: its end cannot come unnoticed.
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
        return { kind: 'accepted', jobId, head, follower, deadline, replayed: false, joined: false } as const;
      }
    }
  }

  /** Whoever accepted it may have died before enqueueing it; adding twice is the same as once. */
  async #enqueueLost(jobId: string, contract: ToolContract): Promise<void> {
    const record = await this.#parts.store.read(jobId);
    if (record?.state === 'waiting') await this.#parts.queues.add(contract.domain, queuedJob({ jobId, head: record.head, contract }));
  }

  #record(
    { caller, facts }: Pick<InvocationRequest, 'caller' | 'facts'>,
    seen: { contract?: ToolContract; input?: unknown },
    end: { outcome: Outcome; cacheHit: boolean; toolName: string },
  ): void {
    const durationMs = Math.round((performance.now() - facts.startedAt) * 100) / 100;
    recordCall(this.#parts.log, {
      trace_id: facts.traceId,
      request_id: facts.requestId,
      // An unknown name is a stranger's text: it must not become a metric.
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

/** A caller's own id of the request, where the tool takes one, comes back in the header and stands in logs and spans (ST-03). */
function adoptRequestId(facts: RequestFacts, input: Readonly<Record<string, unknown>>): void {
  const { request_id: requestId } = input;
  if (typeof requestId !== 'string') return;
  facts.requestId = requestId;
  facts.span.setAttribute('request_id', requestId);
}

function inWordsOf(contract: ToolContract | undefined, refusal: Refusal): Refusal {
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
    ? new Refusal('OVERLOADED', `The ${domain} tools have all the work they can hold`, { retry_after_ms: retryAfterMs })
    : new Refusal('RATE_LIMITED', `Your tenant has as many open calls of the ${domain} tools as it may`, { retry_after_ms: retryAfterMs });
}
