import { outcomeFacts, redact, type Caller, type Outcome, type ToolContract } from '#lib/contracts';
import { whoOf, type CallReports } from '#lib/transport';
import type { RequestFacts } from './call-facts.js';
import type { LoggedQuestion } from './repeatable-call.js';

/**
 * @param contract undefined for a name that no tool has: it is text from outside, and must not become a metric label
 * @param input as it was sent
 */
export function askedCall(caller: Caller, contract: ToolContract | undefined, input: unknown): LoggedQuestion {
  return {
    tool_name: contract?.name ?? 'unknown',
    tenant_id: caller.tenantId,
    ...whoOf(caller, input, contract),
    params: contract ? redact(contract.input, 'input', input) : null,
  };
}

interface OwnEnd {
  readonly outcome: Outcome;
  readonly cacheHit: boolean;
  /** What else the log says. */
  readonly more?: Readonly<Record<string, string>>;
}

/** Records a call that the gateway has ended itself: it was refused, or the cache had its answer. */
export function recordOwnCall(
  reports: CallReports,
  { asked, facts }: { readonly asked: LoggedQuestion; readonly facts: Pick<RequestFacts, 'traceId' | 'requestId' | 'startedAt'> },
  { outcome, cacheHit, more }: OwnEnd,
): void {
  const durationMs = Math.round((performance.now() - facts.startedAt) * 100) / 100;
  const { tool_name, tenant_id, user_id, caller_id, params } = asked;
  reports.record(
    {
      trace_id: facts.traceId,
      request_id: facts.requestId,
      tool_name,
      tenant_id,
      user_id,
      caller_id,
      job_id: null,
      params,
      started_at: Date.now() - durationMs,
      duration_ms: durationMs,
      execution_time_ms: 0,
      attempts: 0,
      ...outcomeFacts(outcome),
      cache_hit: cacheHit,
    },
    { outcome, facts: more },
  );
}
