import { outcomeFacts, principal, redact, type Caller, type ToolContract } from '#lib/contracts';
import type { Ending, InvocationHead } from '../record/codec.js';

export interface EndedInvocation {
  readonly jobId: string;
  readonly head: InvocationHead;
  readonly ending: Ending;
}

/**
 * From acceptance to the end, without rests, in ms. The two moments are read on the clocks of two machines, or of one that was set in between: where
 * they contradict each other, the call took as long as its handler ran.
 */
export function wholeMs(
  { createdAt }: Pick<InvocationHead, 'createdAt'>,
  ending: Pick<Ending, 'finishedAt' | 'executionMs' | 'restedMs'>,
): number {
  return Math.max(ending.executionMs, ending.finishedAt - createdAt - (ending.restedMs ?? 0));
}

/** The call record of an ended invocation, whichever process ended it. Parameters are redacted by the contract's marks. */
export function endedCall({ jobId, head, ending }: EndedInvocation, contract: ToolContract | undefined) {
  return {
    trace_id: head.traceId,
    request_id: head.requestId ?? null,
    tool_name: head.tool,
    tenant_id: head.caller.tenantId,
    ...whoOf(head.caller, head.input, contract),
    job_id: jobId,
    params: contract ? redact(contract.input, 'input', head.input) : null,
    started_at: head.createdAt,
    duration_ms: wholeMs(head, ending),
    execution_time_ms: ending.executionMs,
    attempts: ending.attempts,
    ...outcomeFacts(ending.outcome),
    cache_hit: false,
  };
}

/** Whose data a call is about, and who makes it: the user asked for where the contract has one, else the caller (AW-45). */
export function whoOf(caller: Caller, input: unknown, contract: ToolContract | undefined): { user_id: string | null; caller_id: string } {
  const asked = contract?.subject && typeof input === 'object' && input !== null ? Reflect.get(input, contract.subject.param) : undefined;
  return { user_id: typeof asked === 'string' ? asked.slice(0, 128) : caller.userId, caller_id: principal(caller) };
}
