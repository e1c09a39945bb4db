import { Inject, Injectable } from '@nestjs/common';
import {
  invalidParameter,
  completeError,
  invocationKey,
  maxAttempts,
  principal,
  Refusal,
  validateInput,
  type Approval,
  type Outcome,
  type ToolContract,
} from '#lib/contracts';
import type { TokenExchange } from '#lib/accounts';
import type { CallHead } from '#lib/transport';
import { WebhookTenants } from '../outbox/webhook-tenants.js';
import { toRefusal } from './to-refusal.js';
import { isRequestId, type RequestFacts } from './call-facts.js';
import { authorise } from './authorise.js';
import { CallAcceptor } from './call-acceptor.js';
import { isScheduled, readsCache, runsByItself, timeAsked } from './call-times.js';
import type { CallRequest, AcceptedCall } from './accepted-call.js';
import type { CallOptions } from './options.js';
import { CallRules } from '../rules/call-rules.js';
import { askedCall, recordOwnCall } from './own-record.js';
import { showsDebug } from './debug-info.js';
import { Limits } from './limits.js';
import { Stores } from '../stores.js';
import { ToolDirectory } from './tool-directory.js';

/** @limit calls: characters of an idempotency key; INVALID_PARAMS */
const maxIdempotencyKey = 255;

/** Of names that callers made up, in the log. */
const shownCharacters = 64;
const shownFaults = 10;

/** The pipeline. Every invocation, from any door, takes these steps in this order. */
@Injectable()
export class Invoker {
  constructor(
    @Inject(Stores)
    private readonly stores: Pick<Stores, 'recentAnswers' | 'clock' | 'reports' | 'log'> & {
      readonly accounts: { readonly exchange: Pick<TokenExchange, 'see'> };
      readonly settings: Pick<Stores['settings'], 'NODE_ENV'>;
    },
    private readonly tools: ToolDirectory,
    @Inject(Limits) private readonly limits: Pick<Limits, 'spend' | 'refund'>,
    @Inject(CallRules) private readonly rules: Pick<CallRules, 'approvalFor' | 'spentFor'>,
    @Inject(WebhookTenants) private readonly webhookTenants: Pick<WebhookTenants, 'has' | 'webhookAt'>,
    private readonly acceptor: CallAcceptor,
  ) {}

  /** Accepts a call, or finds its answer in the cache. Throws a Refusal before anything is enqueued. */
  async invoke(request: CallRequest): Promise<AcceptedCall> {
    const seen: { contract?: ToolContract; input?: unknown } = {};
    try {
      const invocation = await this.#steps(request, seen);
      if (invocation.kind === 'cached') this.#record(request, seen, { outcome: invocation.entry.outcome, cacheHit: true });
      return invocation;
    } catch (error) {
      const refusal = inNativeWords(seen.contract, toRefusal(error));
      const outcome: Outcome = { ok: false, error: refusal.error };
      const toolName = seen.contract?.name ?? 'unknown';
      request.facts.span.setAttributes({ 'invoq.tool': toolName, 'invoq.code': refusal.error.native_code ?? refusal.error.code });
      this.#record(request, seen, { outcome, cacheHit: false });
      if (!(error instanceof Refusal))
        this.stores.log.error({ event: 'invoke-failed', trace_id: request.facts.traceId, err: error }, 'a call could not be accepted');
      throw refusal;
    }
  }

  async #steps(request: CallRequest, seen: { contract?: ToolContract; input?: unknown }): Promise<AcceptedCall> {
    const { caller, facts, options } = request;
    const validationStart = performance.now();
    const tools = this.tools.of(caller);
    const toolsSeen = tools.catalog.tools;
    const contract = request.internal ? tools.internal(request.tool) : tools.resolve(request.tool);
    if (request.source && contract.source !== request.source)
      throw new Refusal('TOOL_NOT_FOUND', `Tool '${contract.name}' is not one of ${request.source}; call it at /tools/${contract.name}`);
    seen.contract = contract;
    if (request.readsOnly && contract.effect === 'write')
      throw new Refusal('METHOD_NOT_ALLOWED', `${contract.name} changes something; call it with POST`, { extra: { allow: 'POST' } });
    seen.input = request.input(contract);
    adoptRequestId(facts, seen.input);
    const input = validateInput(contract, seen.input);
    authorise(caller, contract, input);
    const validated = facts.steps.note('validation', validationStart);
    const validationMs = Math.round((validated - validationStart) * 100) / 100;
    checkIdempotencyKey(request.idempotencyKey);
    const callback = this.#callbackOf(request);
    const now = this.stores.clock.now();
    await this.limits.spend(caller, new Date(now));
    const limited = facts.steps.note('limits', validated);

    let approval: Approval | null = null;
    try {
      if (!request.internal?.exempt) {
        const reading = this.rules.spentFor(caller, now);
        approval = this.rules.approvalFor(contract, input, { caller, now, spent: reading && (await reading) });
      }
    } catch (error) {
      await this.limits.refund(caller, new Date(now));
      throw error;
    }
    // One that is approved before its time rests for that, too.
    const runAt = approval ? timeAsked(options, now) : undefined;
    const key = invocationKey(contract, input, request);
    const isLookedUp = !approval && !contract.connection && readsCache(request, contract);
    const recent = isLookedUp ? this.stores.recentAnswers.find(key, this.stores.clock.now()) : null;
    const lookedUp = isLookedUp ? facts.steps.note('cache', limited) : limited;
    if (recent) return { contract, input, key, seen: toolsSeen, ...recent };

    const head: CallHead = {
      v: 1,
      tool: contract.name,
      version: contract.version,
      input,
      caller,
      sessionId: request.sessionId,
      requestId: facts.requestId,
      ...(contract.upstream?.mayAsk &&
        request.clientAnswers && { clientAnswers: request.clientAnswers, clientModelTools: request.clientModelTools ?? false }),
      ...(contract.revalidates && request.known.length > 0 && { known: [...request.known] }),
      traceId: facts.traceId,
      traceparent: facts.traceparent,
      createdAt: now,
      validationMs,
      ...this.#storedOptions(options),
      maxAttempts: options.enable_retry ? maxAttempts(contract) : 1,
      retry: options.enable_retry,
      ...(request.replayOf !== undefined && { replayOf: request.replayOf, replays: request.replays ?? 1 }),
      ...(runAt !== undefined && { runAt }),
      ...(contract.cost && { costMicros: contract.cost.micros }),
      ...(this.webhookTenants.has(caller.tenantId) && { hooked: true }),
      ...(callback && { callback }),
      // An idempotency key stands for a call of its own, so it never joins that of another caller. So does a time, a callback, and an approval.
      flightKey:
        request.internal?.flightKey ??
        (contract.singleFlight && !approval && request.idempotencyKey === null && !runsByItself(options) ? key : null),
      cacheKey: contract.cache && !approval && !contract.connection ? key : null,
    };
    await this.#seeToAccount(contract, request);
    const askedAt = this.stores.clock.now();
    const accepted = await this.acceptor.accept({ ...request, approval }, contract, head);
    // One step of the store looks for an answer, and enqueues where there is none.
    facts.steps.note(accepted.kind === 'cached' ? 'cache' : 'enqueue', lookedUp);
    if (accepted.kind === 'cached') this.stores.recentAnswers.keep(key, accepted, askedAt);
    return { contract, input, key, seen: toolsSeen, ...accepted };
  }

  /** A caller whose token is of the issuer that is the provider too need not connect an account. */
  async #seeToAccount({ connection }: ToolContract, { caller, facts: { callerToken } }: CallRequest): Promise<void> {
    if (!connection || callerToken === undefined) return;
    const { provider, scopes = [] } = connection;
    await this.stores.accounts.exchange.see({ tenantId: caller.tenantId, owner: principal(caller), provider, scopes }, callerToken);
  }

  /** Who is told of its end. Throws INVALID_PARAMS for what no webhook of the tenant stands for, and for a call that somebody waits for. */
  #callbackOf({ options, caller, waits }: CallRequest): CallHead['callback'] {
    const { callback_url: url } = options;
    if (url === undefined) return undefined;
    if (waits && !isScheduled(options))
      throw invalidParameter('callback_url', 'is for a call that nobody waits for: send Prefer: respond-async');
    const webhook = this.webhookTenants.webhookAt(caller.tenantId, url);
    if (webhook !== undefined) return { url, webhook };
    throw invalidParameter('callback_url', 'must have the origin of a webhook of your tenant that is not disabled; see GET /webhooks');
  }

  /** Options that differ from the defaults are stored with the call: its answer may be read later and by another door. */
  #storedOptions({ debug: asked, metacognition, personality, inline_files }: CallOptions): Pick<CallHead, 'wishes'> {
    const debug = asked && showsDebug(this.stores.settings);
    if (!debug && !metacognition && inline_files) return {};
    return { wishes: { debug, metacognition, inline_files, ...(personality && { personality }) } };
  }

  #record(
    { caller, facts, tool }: Pick<CallRequest, 'caller' | 'facts' | 'tool'>,
    { contract, input }: { contract?: ToolContract; input?: unknown },
    end: { readonly outcome: Outcome; readonly cacheHit: boolean },
  ): void {
    const more = wrongIn(end.outcome, contract ? null : tool);
    recordOwnCall(this.stores.reports, { asked: askedCall(caller, contract, input), facts }, { ...end, more });
  }
}

/** What an operator looks for after a refusal: the name that no tool has, and the parameters that were wrong. Names alone, and bounded. */
function wrongIn(outcome: Outcome, unknownTool: string | null): Readonly<Record<string, string>> {
  const paths = outcome.ok ? [] : (outcome.error.details ?? []).slice(0, shownFaults).map(({ path }) => path.slice(0, shownCharacters));
  return {
    ...(unknownTool !== null && { asked_tool: unknownTool.slice(0, shownCharacters) }),
    ...(paths.length > 0 && { wrong_parameters: paths.join(', ') }),
  };
}

/**
 * A `request_id` parameter is echoed in the header and written to logs and spans (ST-03), also of a call that is refused. Text that
 * cannot stand in a header stays a parameter.
 */
function adoptRequestId(facts: RequestFacts, input: unknown): void {
  const requestId: unknown = typeof input === 'object' && input !== null && 'request_id' in input ? input.request_id : undefined;
  if (!isRequestId(requestId)) return;
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
