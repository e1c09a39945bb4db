import { outcomeFacts, redact, type ToolContract } from '#lib/contracts';
import type { Ending, InvocationHead } from './codec.js';

export interface EndedInvocation {
  readonly jobId: string;
  readonly head: InvocationHead;
  readonly ending: Ending;
}

/** What logs and metrics keep of an ended invocation, whoever ended it. Parameters are redacted by the contract. */
export function endedCall({ jobId, head, ending }: EndedInvocation, contract: ToolContract | undefined) {
  return {
    trace_id: head.traceId,
    tool_name: head.tool,
    tenant_id: head.caller.tenantId,
    user_id: head.caller.userId,
    job_id: jobId,
    params: contract ? redact(contract.input, 'input', head.input) : null,
    started_at: head.createdAt,
    duration_ms: ending.finishedAt - head.createdAt,
    execution_time_ms: ending.executionMs,
    attempts: ending.attempts,
    ...outcomeFacts(ending.outcome),
    cache_hit: false,
  };
}
